import { putRow } from '../kit/data/rows.ts'
import { createRandom } from '../kit/random.ts'
import { toAccounts, toGiantChart, toId } from './chart.ts'
import { COMPANIES, type Company, findCompany } from './companies.ts'
import { type PlannedDocument, planDocuments, toEntries } from './journal.ts'
import type { Row, SimulatorState } from './state.ts'

/** Everything the API knows of one company: accounts by number, entries by entry number. */
export interface Books {
  company: Company
  accounts: Row[]
  entries: Row[]
}

/** One line of a document that a test posts; amounts in cents. */
export interface PostedLine {
  accountNumber: string
  debitCents?: number
  creditCents?: number
}

/** The books of every company with the edits of the state laid over them. */
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

  /** The company's current books; throws for an unknown id. */
  booksOf(companyId: string): Books {
    const known = this.#books.get(companyId)
    if (known) return known
    const company = findCompany(companyId)
    if (!company) throw new Error(`no company ${companyId}; there are: ${COMPANIES.map(({ id }) => id).join(', ')}`)
    const { chart, space } = company
    const accounts = chart === null ? toGiantChart(this.#giantAccounts, space) : toAccounts(chart, space)
    const random = createRandom(this.#seed * 1_000_003 + Number.parseInt(space, 16))
    const entries = toEntries(planDocuments(company.routines, company.months, accounts, random), space, 1)
    const edits = this.#state.editsOf(companyId)
    const books = { company, accounts, entries: [...entries, ...edits.entries] }
    for (const account of edits.accounts) putRow(books.accounts, account, 'id')
    for (const id of edits.removedAccounts) drop(books.accounts, id)
    this.#books.set(companyId, books)
    return books
  }

  /** Changes properties of an account as a bookkeeper would: its `lastModifiedDateTime` moves on. Answers the account. */
  editAccount(companyId: string, number: string, changes: Record<string, unknown>): Row {
    const before = this.#findAccount(companyId, number)
    return this.#keep(companyId, { ...before, ...changes, id: before.id, lastModifiedDateTime: this.#now().toISOString() })
  }

  /** Adds a posting account. Answers it. */
  addAccount(companyId: string, properties: Record<string, unknown>): Row {
    const { accounts, company } = this.booksOf(companyId)
    const base = { category: '_x0020_', subCategory: '', blocked: false, accountType: 'Posting', directPosting: true, netChange: 0 }
    const id = toId(company.space, 'a', 900_000_000 + accounts.length)
    return this.#keep(companyId, { ...base, ...properties, id, lastModifiedDateTime: this.#now().toISOString() })
  }

  removeAccount(companyId: string, number: string): void {
    const { id } = this.#findAccount(companyId, number)
    drop(this.booksOf(companyId).accounts, id)
    this.#state.editsOf(companyId).removedAccounts.push(id)
    this.#state.save()
  }

  /** Posts one document today. Answers its entries. */
  post(companyId: string, document: { number: string; type?: string; text?: string }, lines: readonly PostedLine[]): Row[] {
    const books = this.booksOf(companyId)
    const plan: PlannedDocument = {
      number: document.number,
      type: document.type ?? '_x0020_',
      day: this.#now().toISOString().slice(0, 10),
      lines: lines.map((line) => ({
        account: this.#findAccount(companyId, line.accountNumber),
        text: document.text ?? '',
        debitCents: line.debitCents ?? 0,
        creditCents: line.creditCents ?? 0,
      })),
    }
    const entries = toEntries([plan], books.company.space, 1 + Number(books.entries.at(-1)?.entryNumber ?? 0))
    books.entries.push(...entries)
    this.#state.editsOf(companyId).entries.push(...entries)
    this.#state.save()
    return entries
  }

  #findAccount(companyId: string, number: string): Row {
    const account = this.booksOf(companyId).accounts.find((each) => each.number === number)
    if (!account) throw new Error(`no account ${number} in company ${companyId}`)
    return account
  }

  #keep(companyId: string, account: Row): Row {
    putRow(this.booksOf(companyId).accounts, account, 'id')
    putRow(this.#state.editsOf(companyId).accounts, account, 'id')
    this.#state.save()
    return account
  }
}

function drop(rows: Row[], id: string): void {
  const index = rows.findIndex((row) => row.id === id)
  if (index >= 0) rows.splice(index, 1)
}
