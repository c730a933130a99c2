import { EditedList } from '../kit/data/edited-list.ts'
import type { Row, SimulatorState } from '../kit/oauth/state.ts'
import { createRandom } from '../kit/random.ts'
import { bankAddress, type Category, GROUPS, type Group, toCategories, toCategory, toGiantCategories } from './chart.ts'
import { type Company, getCompany } from './companies.ts'
import { toTransactions } from './journal.ts'

/** The books of one company; a category's row carries its group under `group`, which no answer shows. */
export interface Books {
  company: Company
  categories: EditedList
  bankAccounts: EditedList
  transactions: EditedList
}

/** The books of every company with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #books = new Map<number, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  /** Throws for an unknown company. */
  booksOf(companyId: number): Books {
    const known = this.#books.get(companyId)
    if (known) return known
    const company = getCompany(companyId)
    const random = createRandom(this.#seed * 1_000_003 + companyId)
    const categories: Category[] = company.isGiant ? toGiantCategories(this.#giantAccounts) : toCategories(company)
    const names = new Map(categories.map(({ code, row }) => [code, String(row.description)]))
    const transactions = toTransactions(company.routines, company.months, random, (code) => names.get(code) ?? code)
    const books = {
      company,
      categories: this.#list(
        companyId,
        'categories',
        categories.map(({ group, code, row }) => [code, { ...row, group }]),
      ),
      bankAccounts: this.#list(
        companyId,
        'bank_accounts',
        company.banks.map((bank) => [String(bank.id), toBankAccount(bank, random.below(900_000))]),
      ),
      transactions: this.#list(
        companyId,
        'transactions',
        transactions.map((row) => [String(row.url).split('/').at(-1) ?? '', row]),
      ),
    }
    this.#books.set(companyId, books)
    return books
  }

  editCategory(companyId: number, code: string, changes: Row): Row {
    const { categories } = this.booksOf(companyId)
    return categories.put(code, { ...categories.get(code), ...changes })
  }

  addCategory(companyId: number, group: Group, code: string, description: string): Row {
    if (!GROUPS.includes(group)) throw new Error(`no group "${group}"`)
    return this.booksOf(companyId).categories.put(code, { ...toCategory(group, code, description).row, group })
  }

  removeCategory(companyId: number, code: string): void {
    this.booksOf(companyId).categories.remove(code)
  }

  editBankAccount(companyId: number, id: string, changes: Row): Row {
    const { bankAccounts } = this.booksOf(companyId)
    return bankAccounts.put(id, { ...bankAccounts.get(id), ...changes, updated_at: this.#now().toISOString() })
  }

  removeTransaction(companyId: number, id: string): void {
    this.booksOf(companyId).transactions.remove(id)
  }

  #list(companyId: number, name: string, seeded: (readonly [string, Row])[]): EditedList {
    return new EditedList(this.#state, `${companyId}/${name}`, seeded)
  }
}

function toBankAccount(bank: Company['banks'][number], cents: number): Row {
  return {
    url: bankAddress(bank.id),
    type: bank.type,
    name: bank.name,
    currency: bank.currency,
    is_personal: false,
    is_primary: bank.code.endsWith('1') || bank.code === '750-65345',
    status: bank.status,
    bank_name: bank.name,
    opening_balance: '0.0',
    current_balance: (cents / 100).toFixed(2),
    created_at: '2023-02-13T09:00:00.000Z',
    updated_at: '2026-05-04T10:30:00.000Z',
  }
}
