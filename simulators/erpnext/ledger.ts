import { giantName } from '../kit/data/giant-names.ts'
import { putRow } from '../kit/data/rows.ts'
import { createRandom, type Random } from '../kit/random.ts'
import { toAccount, toAccounts } from './chart.ts'
import { COMPANIES, type Company } from './companies.ts'
import { toLedgerEntries } from './ledger-entries.ts'
import type { Row, SimulatorState } from './state.ts'

interface Books {
  accounts: Row[]
  entries: Row[]
}

/** The books of all companies, made when they are first looked at, with the edits of the state laid over them. Companies by abbreviation. */
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

  booksOf(abbr: string): Books {
    const known = this.#books.get(abbr)
    if (known) return known
    const company = this.companyOf(abbr)
    const random = createRandom(this.#seed * 1_000_003 + abbr.charCodeAt(0))
    const accounts =
      company.chart === null ? toGiantChart(this.#giantAccounts, company, random) : toAccounts(company.chart, company, random)
    const entries = toLedgerEntries(company, accounts, random)
    const { accounts: edited, removedAccounts, cancelledVouchers } = this.#state.data
    const books = { accounts: accounts.filter(({ name }) => !removedAccounts.includes(name)), entries }
    for (const account of edited[abbr] ?? []) if (!removedAccounts.includes(account.name)) putRow(books.accounts, account, 'name')
    this.#books.set(abbr, books)
    for (const number of cancelledVouchers) this.#cancel(books, number)
    return books
  }

  /** The company under its present name. */
  companyOf(abbr: string): Company {
    const company = COMPANIES.find((each) => each.abbr === abbr)
    if (!company) throw new Error(`no company ${abbr}; there are: ${COMPANIES.map((each) => each.abbr).join(', ')}`)
    return { ...company, name: this.#state.data.companyNames[abbr] ?? company.name }
  }

  /** Gives the company another name, which all its documents carry from then on. */
  renameCompany(abbr: string, name: string): void {
    const books = this.booksOf(abbr)
    this.#state.data.companyNames[abbr] = name
    for (const row of [...books.accounts, ...books.entries]) row.company = name
    this.#state.save()
  }

  /** Changes fields of an account as a bookkeeper would: `modified` moves on. Answers the account. */
  editAccount(abbr: string, account: string, changes: Record<string, unknown>): Row {
    const before = this.booksOf(abbr).accounts.find(({ name }) => name === account)
    if (!before) throw new Error(`no account "${account}" in company ${abbr}`)
    return this.#keep(abbr, { ...before, ...changes, name: account, modified: toStamp(this.#now()) })
  }

  /** Adds an account below the first group of the root. Answers it. */
  addAccount(abbr: string, fields: { title: string; type: string; rootType: string }): Row {
    const { accounts } = this.booksOf(abbr)
    const parent = accounts.find((account) => account.root_type === fields.rootType)?.name ?? null
    const company = this.companyOf(abbr)
    const plan = {
      company,
      number: '',
      parent,
      isGroup: false,
      isDisabled: false,
      currency: company.currency,
      left: accounts.length * 2 + 1,
    }
    return this.#keep(abbr, { ...toAccount({ ...plan, ...fields, random: createRandom(accounts.length) }), modified: toStamp(this.#now()) })
  }

  removeAccount(abbr: string, account: string): void {
    const books = this.booksOf(abbr)
    books.accounts = books.accounts.filter(({ name }) => name !== account)
    this.#state.data.removedAccounts.push(account)
    this.#state.save()
  }

  /** Cancels a voucher: its lines stay and say so. */
  cancelVoucher(abbr: string, number: string): void {
    this.#cancel(this.booksOf(abbr), number)
    this.#state.data.cancelledVouchers.push(number)
    this.#state.save()
  }

  #cancel(books: Books, number: string): void {
    for (const entry of books.entries) if (entry.voucher_no === number) entry.is_cancelled = 1
  }

  #keep(abbr: string, account: Row): Row {
    putRow(this.booksOf(abbr).accounts, account, 'name')
    const kept = this.#state.data.accounts[abbr] ?? []
    putRow(kept, account, 'name')
    this.#state.data.accounts[abbr] = kept
    this.#state.save()
    return account
  }
}

const GIANT_TYPES = [
  ['Asset', 'Bank'],
  ['Asset', 'Receivable'],
  ['Asset', 'Fixed Asset'],
  ['Liability', 'Payable'],
  ['Liability', 'Tax'],
  ['Equity', 'Equity'],
  ['Income', 'Income Account'],
  ['Expense', 'Cost of Goods Sold'],
  ['Expense', ''],
] as const

function toGiantChart(count: number, company: Company, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [rootType, type] = GIANT_TYPES[index % GIANT_TYPES.length] ?? GIANT_TYPES[0]
    const number = String(index + 1).padStart(5, '0')
    const flags = { isGroup: false, isDisabled: index % 97 === 96 }
    const plan = { company, number, title: giantName(index + 1), type, rootType, parent: null, ...flags, currency: company.currency }
    return toAccount({ ...plan, left: index * 2 + 1, random })
  })
}

function toStamp(instant: Date): string {
  return `${instant.toISOString().slice(0, 23).replace('T', ' ')}000`
}
