import { EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { toAccounts, toCurrency, toGiantChart } from './chart.ts'
import { getBusiness } from './companies.ts'

export type Ledger = ReturnType<typeof createLedger>

/** Charts of every business, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts }: LedgerOptions) {
  /** Current accounts of a business; throws if the id is unknown. */
  const accountsOf = onceEach((businessId: string) => {
    const { uuid, currency, chart } = getBusiness(businessId)
    const random = createRandom(seed * 1_000_003 + Number.parseInt(uuid.slice(-6), 16))
    const options = { businessUuid: uuid, currency, random }
    const seeded = chart === null ? toGiantChart(giantAccounts, options) : toAccounts(chart, options)
    return new EditedList(store, `${businessId}/accounts`, seeded)
  })
  return {
    accountsOf,

    /**
     * Changes properties of an account as a bookkeeper would, which increments its `sequence`. Returns the account.
     */
    editAccount(businessId: string, accountId: string, changes: Row): Row {
      const accounts = accountsOf(businessId)
      const before = accounts.get(accountId)
      return accounts.put(accountId, { ...before, ...changes, id: accountId, sequence: Number(before.sequence) + 1 })
    },

    /** Adds an active account, of type ASSET, CASH_AND_BANK unless `properties` says otherwise. Returns it. */
    addAccount(businessId: string, properties: Row): Row {
      const { uuid, currency } = getBusiness(businessId)
      const accounts = accountsOf(businessId)
      const id = Buffer.from(`Account:${9_000_000 + accounts.size};Business:${uuid}`).toString('base64')
      const kind = { type: { name: 'Assets', value: 'ASSET' }, subtype: { name: 'Cash and Bank', value: 'CASH_AND_BANK' } }
      const base = { name: 'New', currency: toCurrency(currency), ...kind, isArchived: false, sequence: 1, balance: '0.00' }
      return accounts.put(id, { ...base, ...properties, id })
    },

    removeAccount: (businessId: string, accountId: string): void => accountsOf(businessId).remove(accountId),
  }
}
