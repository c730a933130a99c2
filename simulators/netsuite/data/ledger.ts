import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { type Row, toAccounts, toGiantChart } from './chart.ts'
import { COMPANIES, type Company, findCompany } from './companies.ts'
import { type PlannedTransaction, type Posted, planTransactions, toPosted } from './journal.ts'

/** All data of one NetSuite account. */
export interface Books {
  company: Company
  accounts: Row[]
  transactions: Row[]
  lines: Row[]
  accountingLines: Row[]
}

/** One line of a transaction posted by a test; amounts in cents. */
export interface PostedLine {
  accountNumber: string
  debitCents?: number
  creditCents?: number
}

/** Item of a NetSuite list: an account, or a transaction with its lines. */
export type Item = { account: Row } | { posted: Posted }

export type Ledger = ReturnType<typeof createLedger>

/** Books of every account, with the edits from the state applied. */
export function createLedger(store: EditsStore<Item>, { seed, giantAccounts, now }: LedgerOptions) {
  const listsOf = onceEach((accountId: string) => {
    const company = findCompany(accountId)
    if (!company) throw new Error(`unknown NetSuite account ${accountId}; known: ${COMPANIES.map((each) => each.accountId).join(', ')}`)
    const { chart, currencies, routines, months } = company
    const accounts = chart === null ? toGiantChart(giantAccounts) : toAccounts(chart, currencies)
    const plans = planTransactions(routines, months, accounts, createRandom(seed * 1_000_003 + Number.parseInt(accountId, 10)))
    const posted = plans.map((plan, index): [string, Item] => [String(index + 1), { posted: toPosted(plan, index + 1) }])
    const charted = byId(accounts, 'id').map(([id, account]): [string, Item] => [id, { account }])
    return {
      company,
      accounts: new EditedList(store, `${accountId}/accounts`, charted),
      posted: new EditedList(store, `${accountId}/transactions`, posted),
    }
  })
  /** Current books of the account; throws if the id is unknown. */
  const booksOf = (accountId: string): Books => {
    const { company, accounts, posted } = listsOf(accountId)
    const transactions = posted.rows.flatMap((item) => ('posted' in item ? [item.posted] : []))
    return {
      company,
      accounts: accounts.rows.flatMap((item) => ('account' in item ? [item.account] : [])),
      transactions: transactions.map(({ transaction }) => transaction),
      lines: transactions.flatMap(({ lines }) => lines),
      accountingLines: transactions.flatMap(({ accountingLines }) => accountingLines),
    }
  }
  const findAccount = (accountId: string, number: string): Row & { id: string } => {
    const account = booksOf(accountId).accounts.find(({ acctnumber }) => acctnumber === number)
    if (!account) throw new Error(`no account ${number} in NetSuite account ${accountId}`)
    return { ...account, id: account.id ?? '' }
  }
  const today = () => now().toISOString().slice(0, 10)
  return {
    booksOf,

    /** Changes fields of an account as a bookkeeper would. Returns the account. */
    editAccount(accountId: string, number: string, changes: Row): Row {
      const before = findAccount(accountId, number)
      return listsOf(accountId).accounts.put(before.id, { account: { ...before, ...changes, lastmodifieddate: today() } }).account
    },

    /** Deletes an account; no answer contains it from then on. */
    removeAccount: (accountId: string, number: string): void => listsOf(accountId).accounts.remove(findAccount(accountId, number).id),

    /** Posts one journal dated today. Returns its id. */
    post(accountId: string, journal: { number: string; subsidiary?: string }, lines: readonly PostedLine[]): string {
      const { company, transactions } = booksOf(accountId)
      const plan: PlannedTransaction = {
        type: 'Journal',
        number: journal.number,
        day: today(),
        memo: '',
        entity: null,
        subsidiary: journal.subsidiary ?? company.subsidiaries[0]?.id ?? null,
        isPosting: true,
        lines: lines.map((line) => ({
          accountId: findAccount(accountId, line.accountNumber).id,
          debitCents: line.debitCents ?? 0,
          creditCents: line.creditCents ?? 0,
        })),
      }
      const id = 1 + Number(transactions.at(-1)?.id ?? 0)
      listsOf(accountId).posted.put(String(id), { posted: toPosted(plan, id) })
      return String(id)
    },

    removeTransaction: (accountId: string, id: string): void => listsOf(accountId).posted.remove(id),
  }
}
