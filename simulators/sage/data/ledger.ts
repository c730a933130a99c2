import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import { type Row, TYPES, toAccount, toAccounts, toId } from './chart.ts'
import { BUSINESSES, findBusiness } from './companies.ts'
import { toJournals } from './journal.ts'

/** All data of one business, in listing order. */
export interface Books {
  accounts: EditedList<Row>
  journals: EditedList<Row>
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every business, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** Current books of a business; throws if the id is unknown. */
  const booksOf = onceEach((businessId: string): Books => {
    const business = findBusiness(businessId)
    if (!business) throw new Error(`unknown business ${businessId}; known: ${BUSINESSES.map(({ id }) => id).join(', ')}`)
    const number = Number.parseInt(businessId.slice(-4), 16)
    const random = createRandom(seed * 1_000_003 + number)
    const seeded = business.chart === null ? toGiantChart(giantAccounts, number, random) : toAccounts(business.chart, number, random)
    const journals = toJournals(business.routines, business.months, seeded, number, random)
    return {
      accounts: new EditedList(store, `${businessId}/accounts`, byId(seeded, 'id')),
      journals: new EditedList(store, `${businessId}/journals`, byId(journals, 'id')),
    }
  })
  return {
    booksOf,

    /** Changes properties of an account as a bookkeeper would, which updates its `updated_at`. Returns the account. */
    editAccount(businessId: string, accountId: string, changes: Record<string, unknown>): Row {
      const { accounts } = booksOf(businessId)
      const before = accounts.get(accountId)
      return accounts.put(accountId, { ...before, ...changes, id: accountId, updated_at: now().toISOString() })
    },

    /** Adds an account, created now. Returns it. */
    addAccount(businessId: string, plan: { code: number; name: string; type: string }): Row {
      const { accounts } = booksOf(businessId)
      const indexes = accounts.rows.map(({ id }) => Number.parseInt(id.slice(-12), 16))
      const index = 1 + indexes.reduce((most, each) => Math.max(most, each), 0)
      const id = toId(Number.parseInt(businessId.slice(-4), 16), 'a', index)
      const group = TYPES[plan.type]?.group ?? ''
      const made = toAccount({ ...plan, id, group, control: null, classification: null, visibility: 'all', random: createRandom(index) })
      const at = now().toISOString()
      return accounts.put(id, { ...made, created_at: at, updated_at: at })
    },

    /** Deletes an account or a journal; no answer contains it from then on. */
    remove(businessId: string, id: string): void {
      const { accounts, journals } = booksOf(businessId)
      const list = accounts.has(id) ? accounts : journals
      list.remove(id)
    },
  }
}

function toGiantChart(count: number, businessNumber: number, random: Random): Row[] {
  const types = Object.entries(TYPES)
  return Array.from({ length: count }, (_, index) => {
    const [type, { group }] = types[index % types.length] ?? ['BANK', { group: 'ASSET' }]
    return toAccount({
      id: toId(businessNumber, 'a', index + 1),
      code: 10_000 + index,
      name: giantName(index + 1),
      type,
      group,
      control: null,
      classification: null,
      visibility: index % 97 === 96 ? 'none' : 'all',
      random,
    })
  })
}
