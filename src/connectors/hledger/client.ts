import type { Connector, Page, Session } from '../contract/contract.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { hledgerForm } from './authorization.ts'
import { toAccount, toTransaction } from './map.ts'
import { readBooks } from './read.ts'
import { fetchBody, readSecret } from './request.ts'
import { AccountWire, LineWire } from './wire.ts'

export const hledgerConnector: Connector = {
  authorize: hledgerForm,
  pulls: [{ name: 'books', delivers: ['Accounts', 'Transactions'], fetch: fetchBooks, read: readBooks }],
  entities: {
    Accounts: { wire: AccountWire, map: toAccount },
    Transactions: { wire: LineWire, map: toTransaction },
  },
}

/** Whole journal in every run: it has neither pages nor change marks, and the account types depend on the entries. */
async function fetchBooks({ kit, credentials }: Session): Promise<Page> {
  const secret = readSecret(credentials)
  const names = await fetchBody(kit, secret, 'accountnames')
  const accounts = await fetchBody(kit, secret, 'accounts')
  const transactions = await fetchBody(kit, secret, 'transactions')
  const settings = jsonBytes({ dollar: secret.dollar ?? '' })
  return { answers: { names, accounts, transactions, settings }, next: null, listing: 'complete' }
}
