import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import { type Row, toAccount, toAccounts } from './chart.ts'
import { COMPANIES } from './companies.ts'
import { type Journal, toJournal } from './journal.ts'

interface Books extends Journal {
  accounts: Row[]
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of all companies, built on first use, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  const listsOf = onceEach((companyId: number): { accounts: EditedList<Row>; moves: EditedList<Row>; lines: Row[] } => {
    const company = COMPANIES.find(({ id }) => id === companyId)
    if (!company) throw new Error(`unknown company ${companyId}; known: ${COMPANIES.map(({ id }) => id).join(', ')}`)
    const random = createRandom(seed * 1_000_003 + company.id)
    const own = company.chart === null ? toGiantChart(giantAccounts, company.id, random) : toAccounts(company.chart, company.id, random)
    const shared = company.parentId === null ? [] : listsOf(company.parentId).accounts.rows
    const { moves, lines } = toJournal(company, [...own, ...shared], random)
    return {
      accounts: new EditedList(store, `${companyId}/accounts`, byId(own, 'id')),
      moves: new EditedList(store, `${companyId}/moves`, byId(moves, 'id')),
      lines,
    }
  })
  return {
    booksOf(companyId: number): Books {
      const { accounts, moves, lines } = listsOf(companyId)
      return { accounts: accounts.rows, moves: moves.rows, lines }
    },

    /** Changes fields of an account as a bookkeeper would, which updates `write_date`. Returns the account. */
    editAccount(companyId: number, accountId: number, changes: Record<string, unknown>): Row {
      const { accounts } = listsOf(companyId)
      const before = accounts.get(String(accountId))
      return accounts.put(String(accountId), { ...before, ...changes, id: accountId, write_date: toStamp(now()) })
    },

    /** Adds an account with the next id. Returns it. */
    addAccount(companyId: number, fields: { code: string; name: string; accountType: string }): Row {
      const { accounts } = listsOf(companyId)
      const id = Math.max(companyId * 100_000, ...accounts.rows.slice(-1).map((account) => account.id)) + 1
      const plan = { id, companyId, ...fields, currency: '', isArchived: false, description: '', random: createRandom(id) }
      return accounts.put(String(id), { ...toAccount(plan), write_date: toStamp(now()) })
    },

    removeAccount: (companyId: number, accountId: number): void => listsOf(companyId).accounts.remove(String(accountId)),

    /** Resets an entry to draft and deletes it; no answer contains it from then on. */
    removeMove: (companyId: number, moveId: number): void => listsOf(companyId).moves.remove(String(moveId)),
  }
}

const GIANT_TYPES = [
  ...['asset_cash', 'asset_receivable', 'asset_current', 'asset_fixed', 'liability_payable', 'liability_current'],
  ...['equity', 'income', 'expense_direct_cost', 'expense'],
]

function toGiantChart(count: number, companyId: number, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const code = String(index + 1).padStart(5, '0')
    const accountType = GIANT_TYPES[index % GIANT_TYPES.length] ?? 'asset_cash'
    const plan = { id: companyId * 100_000 + index + 1, companyId, code, name: giantName(index + 1), accountType }
    return toAccount({ ...plan, currency: '', isArchived: index % 97 === 96, description: '', random })
  })
}

/** `2026-05-04 10:30:00`, UTC. */
function toStamp(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace('T', ' ')
}
