import { giantName } from '../kit/data/giant-names.ts'
import { putRow } from '../kit/data/rows.ts'
import { createRandom, type Random } from '../kit/random.ts'
import { BUSINESSES, findBusiness } from './businesses.ts'
import { SUB_TYPES, toAccount, toAccounts } from './chart.ts'
import type { Row, SimulatorState } from './state.ts'

/** The charts of every business with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #charts = new Map<string, Row[]>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  /** The current accounts of a business; throws for an unknown uuid. */
  accountsOf(businessUuid: string): Row[] {
    const known = this.#charts.get(businessUuid)
    if (known) return known
    const business = findBusiness(businessUuid)
    if (!business) throw new Error(`no business ${businessUuid}; there are: ${BUSINESSES.map(({ uuid }) => uuid).join(', ')}`)
    const number = Number.parseInt(businessUuid.slice(0, 8), 16)
    const random = createRandom(this.#seed * 1_000_003 + number)
    const seeded = business.chart === null ? toGiantChart(this.#giantAccounts, number, random) : toAccounts(business.chart, number, random)
    const edits = this.#state.editsOf(businessUuid)
    const accounts = seeded.filter(({ uuid }) => !edits.removed.includes(uuid))
    for (const account of edits.accounts) putRow(accounts, account, 'uuid')
    this.#charts.set(businessUuid, accounts)
    return accounts
  }

  /** Changes properties of an account as a bookkeeper would: its `updated_at` moves on. Answers the account. */
  editAccount(businessUuid: string, accountUuid: string, changes: Record<string, unknown>): Row {
    const before = this.accountsOf(businessUuid).find(({ uuid }) => uuid === accountUuid)
    if (!before) throw new Error(`no account ${accountUuid} in business ${businessUuid}`)
    return this.#keep(businessUuid, { ...before, ...changes, uuid: accountUuid, updated_at: this.#now().toISOString() })
  }

  /** Adds an account with the next uuid, made now. Answers it. */
  addAccount(businessUuid: string, properties: Record<string, unknown>): Row {
    const indexes = this.accountsOf(businessUuid).map(({ uuid }) => Number.parseInt(uuid.slice(-12), 16))
    const index = 1 + indexes.reduce((most, each) => Math.max(most, each), 0)
    const uuid = `${businessUuid.slice(0, 8)}-0000-4000-9000-${index.toString(16).padStart(12, '0')}`
    const base = { description: '', parent_account: null, sub_accounts: [], auto_created: false, state: 'active' }
    return this.#keep(businessUuid, { ...base, ...properties, uuid, updated_at: this.#now().toISOString() })
  }

  /** Deletes an account: from then on it is in no answer. */
  removeAccount(businessUuid: string, accountUuid: string): void {
    const accounts = this.accountsOf(businessUuid)
    const index = accounts.findIndex(({ uuid }) => uuid === accountUuid)
    if (index < 0) throw new Error(`no account ${accountUuid} in business ${businessUuid}`)
    accounts.splice(index, 1)
    const edits = this.#state.editsOf(businessUuid)
    edits.accounts = edits.accounts.filter(({ uuid }) => uuid !== accountUuid)
    edits.removed.push(accountUuid)
    this.#state.save()
  }

  #keep(businessUuid: string, account: Row): Row {
    putRow(this.accountsOf(businessUuid), account, 'uuid')
    putRow(this.#state.editsOf(businessUuid).accounts, account, 'uuid')
    this.#state.save()
    return account
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
