import { putRow } from '../kit/data/rows.ts'
import { createRandom } from '../kit/random.ts'
import { toAccounts, toGiantChart } from './chart.ts'
import { COMPANIES, type Company, findCompany } from './companies.ts'
import { type PlannedTransaction, type Posted, planTransactions, toPosted } from './journal.ts'
import type { Row, SimulatorState } from './state.ts'

/** Everything SuiteQL knows of one NetSuite account. */
export interface Books {
  company: Company
  accounts: Row[]
  transactions: Row[]
  lines: Row[]
  accountingLines: Row[]
}

/** One line of a transaction that a test posts; amounts in cents. */
export interface PostedLine {
  accountNumber: string
  debitCents?: number
  creditCents?: number
}

/** The books of every account with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #books = new Map<string, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  /** The account's current books; throws for an unknown id. */
  booksOf(accountId: string): Books {
    const known = this.#books.get(accountId)
    if (known) return known
    const company = findCompany(accountId)
    if (!company) throw new Error(`no NetSuite account ${accountId}; there are: ${COMPANIES.map((each) => each.accountId).join(', ')}`)
    const accounts = company.chart === null ? toGiantChart(this.#giantAccounts) : toAccounts(company.chart, company.currencies)
    const random = createRandom(this.#seed * 1_000_003 + Number.parseInt(accountId, 10))
    const plans = planTransactions(company.routines, company.months, accounts, random)
    const books: Books = { company, accounts, transactions: [], lines: [], accountingLines: [] }
    for (const [index, plan] of plans.entries()) write(books, toPosted(plan, index + 1))
    const edits = this.#state.editsOf(accountId)
    for (const posted of edits.posted) write(books, posted)
    for (const id of edits.removedTransactions) erase(books, id)
    for (const account of edits.accounts) putRow(books.accounts, account, 'id')
    for (const id of edits.removedAccounts) books.accounts = books.accounts.filter((account) => account.id !== id)
    this.#books.set(accountId, books)
    return books
  }

  /** Changes fields of an account as a bookkeeper would. Answers the account. */
  editAccount(accountId: string, number: string, changes: Row): Row {
    const account = { ...this.#findAccount(accountId, number), ...changes, lastmodifieddate: this.#today() }
    putRow(this.booksOf(accountId).accounts, account, 'id')
    putRow(this.#state.editsOf(accountId).accounts, account, 'id')
    this.#state.save()
    return account
  }

  /** Deletes an account: from then on it is in no answer. */
  removeAccount(accountId: string, number: string): void {
    const { id } = this.#findAccount(accountId, number)
    const books = this.booksOf(accountId)
    books.accounts = books.accounts.filter((account) => account.id !== id)
    this.#state.editsOf(accountId).removedAccounts.push(id ?? '')
    this.#state.save()
  }

  /** Posts one journal today. Answers its id. */
  post(accountId: string, journal: { number: string; subsidiary?: string }, lines: readonly PostedLine[]): string {
    const books = this.booksOf(accountId)
    const plan: PlannedTransaction = {
      type: 'Journal',
      number: journal.number,
      day: this.#today(),
      memo: '',
      entity: null,
      subsidiary: journal.subsidiary ?? books.company.subsidiaries[0]?.id ?? null,
      isPosting: true,
      lines: lines.map((line) => ({
        accountId: this.#findAccount(accountId, line.accountNumber).id ?? '',
        debitCents: line.debitCents ?? 0,
        creditCents: line.creditCents ?? 0,
      })),
    }
    const posted = toPosted(plan, 1 + Number(books.transactions.at(-1)?.id ?? 0))
    write(books, posted)
    this.#state.editsOf(accountId).posted.push(posted)
    this.#state.save()
    return posted.transaction.id ?? ''
  }

  removeTransaction(accountId: string, id: string): void {
    erase(this.booksOf(accountId), id)
    this.#state.editsOf(accountId).removedTransactions.push(id)
    this.#state.save()
  }

  #findAccount(accountId: string, number: string): Row {
    const account = this.booksOf(accountId).accounts.find(({ acctnumber }) => acctnumber === number)
    if (!account) throw new Error(`no account ${number} in NetSuite account ${accountId}`)
    return account
  }

  #today(): string {
    return this.#now().toISOString().slice(0, 10)
  }
}

function write(books: Books, posted: Posted): void {
  books.transactions.push(posted.transaction)
  books.lines.push(...posted.lines)
  books.accountingLines.push(...posted.accountingLines)
}

function erase(books: Books, id: string): void {
  books.transactions = books.transactions.filter((transaction) => transaction.id !== id)
  books.lines = books.lines.filter(({ transaction }) => transaction !== id)
  books.accountingLines = books.accountingLines.filter(({ transaction }) => transaction !== id)
}
