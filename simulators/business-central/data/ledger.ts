import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { type Row, toAccounts, toGiantChart, toId } from './chart.ts'
import { COMPANIES, type Company, findCompany } from './companies.ts'
import { type PlannedDocument, planDocuments, toEntries } from './journal.ts'

/** All data of one company: accounts by number, entries by entry number. */
export interface Books {
  company: Company
  accounts: EditedList<Row>
  entries: EditedList<Row>
}

/** One line of a document posted by a test; amounts in cents. */
export interface PostedLine {
  accountNumber: string
  debitCents?: number
  creditCents?: number
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every company, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** Current books of the company; throws if the id is unknown. */
  const booksOf = onceEach((companyId: string): Books => {
    const company = findCompany(companyId)
    if (!company) throw new Error(`unknown company ${companyId}; known: ${COMPANIES.map(({ id }) => id).join(', ')}`)
    const { chart, space } = company
    const accounts = chart === null ? toGiantChart(giantAccounts, space) : toAccounts(chart, space)
    const random = createRandom(seed * 1_000_003 + Number.parseInt(space, 16))
    const entries = toEntries(planDocuments(company.routines, company.months, accounts, random), space, 1)
    return {
      company,
      accounts: new EditedList(store, `${companyId}/accounts`, byId(accounts, 'id')),
      entries: new EditedList(store, `${companyId}/entries`, byId(entries, 'id')),
    }
  })
  const findAccount = (companyId: string, number: string): Row => {
    const account = booksOf(companyId).accounts.rows.find((each) => each.number === number)
    if (!account) throw new Error(`no account ${number} in company ${companyId}`)
    return account
  }
  return {
    booksOf,

    /**
     * Changes properties of an account as a bookkeeper would, which updates its `lastModifiedDateTime`. Returns the
     * account.
     */
    editAccount(companyId: string, number: string, changes: Record<string, unknown>): Row {
      const before = findAccount(companyId, number)
      const touched = { id: before.id, lastModifiedDateTime: now().toISOString() }
      return booksOf(companyId).accounts.put(before.id, { ...before, ...changes, ...touched })
    },

    /** Adds a posting account and returns it. */
    addAccount(companyId: string, properties: Record<string, unknown>): Row {
      const { accounts, company } = booksOf(companyId)
      const base = { category: '_x0020_', subCategory: '', blocked: false, accountType: 'Posting', directPosting: true, netChange: 0 }
      const id = toId(company.space, 'a', 900_000_000 + accounts.size)
      return accounts.put(id, { ...base, ...properties, id, lastModifiedDateTime: now().toISOString() })
    },

    removeAccount: (companyId: string, number: string): void => booksOf(companyId).accounts.remove(findAccount(companyId, number).id),

    /** Posts one document dated today with the next entry numbers. Returns its entries. */
    post(companyId: string, document: { number: string; type?: string; text?: string }, lines: readonly PostedLine[]): Row[] {
      const { company, entries } = booksOf(companyId)
      const plan: PlannedDocument = {
        number: document.number,
        type: document.type ?? '_x0020_',
        day: now().toISOString().slice(0, 10),
        lines: lines.map((line) => ({
          account: findAccount(companyId, line.accountNumber),
          text: document.text ?? '',
          debitCents: line.debitCents ?? 0,
          creditCents: line.creditCents ?? 0,
        })),
      }
      const posted = toEntries([plan], company.space, 1 + Number(entries.rows.at(-1)?.entryNumber ?? 0))
      return posted.map((entry) => entries.put(entry.id, entry))
    },
  }
}
