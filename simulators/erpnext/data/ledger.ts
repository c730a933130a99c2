import { byId, EditedList } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import type { SimulatorState } from '../../kit/simulator-state.ts'
import { type Row, toAccount, toAccounts } from './chart.ts'
import { COMPANIES, type Company } from './companies.ts'
import { toLedgerEntries } from './ledger-entries.ts'

/** Source-specific state that survives restarts. */
export interface OwnState {
  /** API keys whose secret was replaced. */
  revoked: string[]
  /** Changed names of companies, by abbreviation. */
  companyNames: Record<string, string>
  cancelledVouchers: string[]
}
export type ErpnextState = SimulatorState<Row, OwnState>

interface Books {
  accounts: EditedList<Row>
  entries: Row[]
}

export type Ledger = ReturnType<typeof createLedger>

/**
 * Books of all companies, built on first use, with the edits from the state applied. Companies are identified by
 * abbreviation.
 */
export function createLedger(state: ErpnextState, { seed, giantAccounts, now }: LedgerOptions) {
  /** The company with its current name. */
  const companyOf = (abbr: string): Company => {
    const company = COMPANIES.find((each) => each.abbr === abbr)
    if (!company) throw new Error(`unknown company ${abbr}; known: ${COMPANIES.map((each) => each.abbr).join(', ')}`)
    return { ...company, name: state.data.companyNames[abbr] ?? company.name }
  }
  const booksOf = onceEach((abbr: string): Books => {
    const company = companyOf(abbr)
    const random = createRandom(seed * 1_000_003 + abbr.charCodeAt(0))
    const accounts = company.chart === null ? toGiantChart(giantAccounts, company, random) : toAccounts(company.chart, company, random)
    const entries = toLedgerEntries(company, accounts, random)
    for (const number of state.data.cancelledVouchers) cancel(entries, number)
    return { accounts: new EditedList(state, `${abbr}/accounts`, byId(accounts, 'name')), entries }
  })
  return {
    companyOf,
    booksOf(abbr: string): { accounts: Row[]; entries: Row[] } {
      const { accounts, entries } = booksOf(abbr)
      return { accounts: accounts.rows, entries }
    },

    /** Renames the company; all its documents carry the new name from then on. */
    renameCompany(abbr: string, name: string): void {
      const { accounts, entries } = booksOf(abbr)
      state.data.companyNames[abbr] = name
      for (const row of [...accounts.rows, ...entries]) row.company = name
      state.save()
    },

    /** Changes fields of an account as a bookkeeper would, which updates `modified`. Returns the account. */
    editAccount(abbr: string, account: string, changes: Record<string, unknown>): Row {
      const { accounts } = booksOf(abbr)
      return accounts.put(account, { ...accounts.get(account), ...changes, name: account, modified: toStamp(now()) })
    },

    /** Adds an account to the first group of the root and returns it. */
    addAccount(abbr: string, fields: { title: string; type: string; rootType: string }): Row {
      const { accounts } = booksOf(abbr)
      const parent = accounts.rows.find((account) => account.root_type === fields.rootType)?.name ?? null
      const company = companyOf(abbr)
      const flags = { number: '', isGroup: false, isDisabled: false, left: accounts.size * 2 + 1 }
      const plan = { company, parent, currency: company.currency, ...flags, ...fields, random: createRandom(accounts.size) }
      const made = { ...toAccount(plan), modified: toStamp(now()) }
      return accounts.put(made.name, made)
    },

    removeAccount: (abbr: string, account: string): void => booksOf(abbr).accounts.remove(account),

    /** Cancels a voucher: its lines remain and are marked as cancelled. */
    cancelVoucher(abbr: string, number: string): void {
      cancel(booksOf(abbr).entries, number)
      state.data.cancelledVouchers.push(number)
      state.save()
    },
  }
}

function cancel(entries: readonly Row[], number: string): void {
  for (const entry of entries) if (entry.voucher_no === number) entry.is_cancelled = 1
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
