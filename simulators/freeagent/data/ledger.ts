import { EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { bankAddress, type Category, GROUPS, type Group, toCategories, toCategory, toGiantCategories } from './chart.ts'
import { type Company, getCompany } from './companies.ts'
import { toTransactions } from './journal.ts'

/** Books of one company; a category's row carries its group under `group`, which no answer shows. */
export interface Books {
  company: Company
  categories: EditedList
  bankAccounts: EditedList
  transactions: EditedList
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every company, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  const listOf = (companyId: number, name: string, seeded: (readonly [string, Row])[]) =>
    new EditedList(store, `${companyId}/${name}`, seeded)
  /** Throws if the company is unknown. */
  const booksOf = onceEach((companyId: number): Books => {
    const company = getCompany(companyId)
    const random = createRandom(seed * 1_000_003 + companyId)
    const categories: Category[] = company.isGiant ? toGiantCategories(giantAccounts) : toCategories(company)
    const names = new Map(categories.map(({ code, row }) => [code, String(row.description)]))
    const transactions = toTransactions(company.routines, company.months, random, (code) => names.get(code) ?? code)
    const grouped = categories.map(({ group, code, row }): [string, Row] => [code, { ...row, group }])
    const banks = company.banks.map((bank): [string, Row] => [String(bank.id), toBankAccount(bank, random.below(900_000))])
    const posted = transactions.map((row): [string, Row] => [String(row.url).split('/').at(-1) ?? '', row])
    return {
      company,
      categories: listOf(companyId, 'categories', grouped),
      bankAccounts: listOf(companyId, 'bank_accounts', banks),
      transactions: listOf(companyId, 'transactions', posted),
    }
  })
  return {
    booksOf,

    editCategory(companyId: number, code: string, changes: Row): Row {
      const { categories } = booksOf(companyId)
      return categories.put(code, { ...categories.get(code), ...changes })
    },

    addCategory(companyId: number, group: Group, code: string, description: string): Row {
      if (!GROUPS.includes(group)) throw new Error(`unknown group "${group}"`)
      return booksOf(companyId).categories.put(code, { ...toCategory(group, code, description).row, group })
    },

    removeCategory: (companyId: number, code: string): void => booksOf(companyId).categories.remove(code),

    editBankAccount(companyId: number, id: string, changes: Row): Row {
      const { bankAccounts } = booksOf(companyId)
      return bankAccounts.put(id, { ...bankAccounts.get(id), ...changes, updated_at: now().toISOString() })
    },

    removeTransaction: (companyId: number, id: string): void => booksOf(companyId).transactions.remove(id),
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
