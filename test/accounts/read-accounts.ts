import type { Connector, Pull } from '../../src/connectors/contract/contract.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { UNKNOWN_BANK } from '../../src/sync/accounts/bank-identity.ts'
import type { Movement } from '../../src/sync/accounts/compare-movements.ts'
import { type NamedAccount, readTexts, toDayNumber, toEvidence, toMovements } from '../../src/sync/accounts/evidence.ts'
import { normalizePage } from '../../src/sync/runs/normalize.ts'
import { BANKS } from './accounts.ts'
import type { AccountSource, Shown } from './shown.ts'

const COMPANY = '00000000-0000-4000-8000-000000000001'
const loaded = new Map<string, Connector>()

/** What the product knows of the accounts that one source shows: its answers, read and mapped by its connector. */
export async function readAccounts(source: AccountSource, serviceId: string, list: readonly Shown[]): Promise<NamedAccount[]> {
  const connector = await connectorOf(source.key)
  const [first, last] = [connector.pulls[0], connector.pulls.at(-1)]
  if (!first || !last) throw new Error(`${source.key} has no pulls`)
  const fetchedAt = new Date(list[0]?.readAt ?? 0)
  const scope = { companyId: COMPANY, serviceId, serviceName: source.key, category: 'Banking', fetchedAt } as const
  const pages = source.render(list)
  const accounts: NamedAccount[] = []
  const movements = new Map<string, Movement[]>()
  const read = (pull: Pull, answers: (typeof pages.accounts)[number]) => {
    const items = [...pull.read(answers)]
    for (const item of normalizePage(connector, pull, answers, scope, () => undefined)) {
      if ('reason' in item) throw new Error(`${source.key}: ${item.reason}`)
      if ('removed' in item) continue
      if (item.entity === 'Accounts')
        accounts.push(withNumbers(withDirectoryNames(toEvidence({ ...item, serviceId }, UNKNOWN_BANK)), items[item.rawIndex]))
      else note(movements, item.doc)
    }
  }
  for (const answers of pages.accounts) read(first, answers)
  for (const answers of pages.transactions) read(last, answers)
  return accounts.map((account) => {
    const list = movements.get(account.origId)
    return { ...account, movements: list ? toMovements(list) : null }
  })
}

/** Most banks are in the directory of an aggregator, by their routing numbers. */
function withDirectoryNames(account: NamedAccount): NamedAccount {
  const [number] = account.bank.routingNumbers
  const index = BANKS.findIndex(({ routing }) => routing === number)
  const names = index % 4 === 3 ? [] : (BANKS[index]?.names.slice(0, 1) ?? [])
  return { ...account, bank: { ...account.bank, names: [...account.bank.names, ...names] } }
}

function withNumbers(account: NamedAccount, item: object | undefined): NamedAccount {
  return item && 'numbers' in item && Array.isArray(item.numbers) ? { ...account, numbers: item.numbers.map(String) } : account
}

function note(movements: Map<string, Movement[]>, doc: string): void {
  const fields = readTexts(doc)
  const account = fields.get('accountOrigId') ?? ''
  const list = movements.get(account) ?? []
  const day = fields.get('postedOn') ?? fields.get('transactionOn') ?? ''
  list.push({
    day: toDayNumber(day),
    amount: fields.get('amount') ?? '',
    text: `${fields.get('description') ?? ''} ${fields.get('counterparty') ?? ''}`,
  })
  movements.set(account, list)
}

async function connectorOf(key: string): Promise<Connector> {
  const known = loaded.get(key)
  if (known) return known
  const description = connectors.find((one) => one.key === key)
  if (!description) throw new Error(`no connector ${key}`)
  const connector = await description.load()
  loaded.set(key, connector)
  return connector
}
