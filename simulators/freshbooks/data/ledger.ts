import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import { type Row, SUB_TYPES, toAccount, toAccounts } from './chart.ts'
import { BUSINESSES, findBusiness } from './companies.ts'

export type Ledger = ReturnType<typeof createLedger>

/** Charts of every business, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** Current accounts of a business by uuid; throws if the business is unknown. */
  const accountsOf = onceEach((businessUuid: string) => {
    const business = findBusiness(businessUuid)
    if (!business) throw new Error(`unknown business ${businessUuid}; known: ${BUSINESSES.map(({ uuid }) => uuid).join(', ')}`)
    const number = Number.parseInt(businessUuid.slice(0, 8), 16)
    const random = createRandom(seed * 1_000_003 + number)
    const seeded = business.chart === null ? toGiantChart(giantAccounts, number, random) : toAccounts(business.chart, number, random)
    return new EditedList(store, `${businessUuid}/accounts`, byId(seeded, 'uuid'))
  })
  return {
    accountsOf: (businessUuid: string): Row[] => accountsOf(businessUuid).rows,

    /** Changes properties of an account as a bookkeeper would, which updates its `updated_at`. Returns the account. */
    editAccount(businessUuid: string, accountUuid: string, changes: Record<string, unknown>): Row {
      const accounts = accountsOf(businessUuid)
      const before = accounts.get(accountUuid)
      return accounts.put(accountUuid, { ...before, ...changes, uuid: accountUuid, updated_at: now().toISOString() })
    },

    /** Adds an account with the next uuid, created now. Returns it. */
    addAccount(businessUuid: string, properties: Record<string, unknown>): Row {
      const accounts = accountsOf(businessUuid)
      const indexes = accounts.rows.map(({ uuid }) => Number.parseInt(uuid.slice(-12), 16))
      const index = 1 + indexes.reduce((most, each) => Math.max(most, each), 0)
      const uuid = `${businessUuid.slice(0, 8)}-0000-4000-9000-${index.toString(16).padStart(12, '0')}`
      const base = { description: '', parent_account: null, sub_accounts: [], auto_created: false, state: 'active' }
      return accounts.put(uuid, { ...base, ...properties, uuid, updated_at: now().toISOString() })
    },

    /** Deletes an account; no answer contains it from then on. */
    removeAccount: (businessUuid: string, accountUuid: string): void => accountsOf(businessUuid).remove(accountUuid),
  }
}

function toGiantChart(count: number, businessNumber: number, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(5, '0')
    return toAccount({
      businessNumber,
      index: index + 1,
      number,
      name: giantName(index + 1),
      subType: SUB_TYPES[index % SUB_TYPES.length]?.name ?? '',
      type: null,
      role: null,
      parent: null,
      state: index % 97 === 96 ? 'archived' : 'active',
      about: '',
      random,
    })
  })
}
