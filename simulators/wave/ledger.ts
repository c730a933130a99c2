import { EditedList } from '../kit/data/edited-list.ts'
import type { Row, SimulatorState } from '../kit/oauth/state.ts'
import { createRandom } from '../kit/random.ts'
import { getBusiness } from './businesses.ts'
import { toAccounts, toCurrency, toGiantChart } from './chart.ts'

/** The charts of every business with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #charts = new Map<string, EditedList>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
  }

  /** The current accounts of a business; throws for an unknown id. */
  accountsOf(businessId: string): EditedList {
    const known = this.#charts.get(businessId)
    if (known) return known
    const { uuid, currency, chart } = getBusiness(businessId)
    const random = createRandom(this.#seed * 1_000_003 + Number.parseInt(uuid.slice(-6), 16))
    const options = { businessUuid: uuid, currency, random }
    const seeded = chart === null ? toGiantChart(this.#giantAccounts, options) : toAccounts(chart, options)
    const accounts = new EditedList(this.#state, `${businessId}/accounts`, seeded)
    this.#charts.set(businessId, accounts)
    return accounts
  }

  /** Changes properties of an account as a bookkeeper would: its `sequence` goes up. Answers the account. */
  editAccount(businessId: string, accountId: string, changes: Row): Row {
    const accounts = this.accountsOf(businessId)
    const before = accounts.get(accountId)
    return accounts.put(accountId, { ...before, ...changes, id: accountId, sequence: Number(before.sequence) + 1 })
  }

  /** Adds an active account of type ASSET, CASH_AND_BANK where `properties` do not say otherwise. Answers it. */
  addAccount(businessId: string, properties: Row): Row {
    const { uuid, currency } = getBusiness(businessId)
    const accounts = this.accountsOf(businessId)
    const id = Buffer.from(`Account:${9_000_000 + accounts.rows.length};Business:${uuid}`).toString('base64')
    const kind = { type: { name: 'Assets', value: 'ASSET' }, subtype: { name: 'Cash and Bank', value: 'CASH_AND_BANK' } }
    const base = { name: 'New', currency: toCurrency(currency), ...kind, isArchived: false, sequence: 1, balance: '0.00' }
    return accounts.put(id, { ...base, ...properties, id })
  }

  removeAccount(businessId: string, accountId: string): void {
    this.accountsOf(businessId).remove(accountId)
  }
}
