import { giantName } from '../kit/data/giant-names.ts'
import { putRow } from '../kit/data/rows.ts'
import { createRandom, type Random } from '../kit/random.ts'
import { BUSINESSES, findBusiness } from './businesses.ts'
import { TYPES, toAccount, toAccounts, toId } from './chart.ts'
import { toJournals } from './journal.ts'
import type { Row, SimulatorState } from './state.ts'

/** Everything the API knows of one business, in the order in which it lists them. */
export interface Books {
  accounts: Row[]
  journals: Row[]
}

/** The books of every business with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #books = new Map<string, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  /** The current books of a business; throws for an unknown id. */
  booksOf(businessId: string): Books {
    const known = this.#books.get(businessId)
    if (known) return known
    const business = findBusiness(businessId)
    if (!business) throw new Error(`no business ${businessId}; there are: ${BUSINESSES.map(({ id }) => id).join(', ')}`)
    const number = Number.parseInt(businessId.slice(-4), 16)
    const random = createRandom(this.#seed * 1_000_003 + number)
    const seeded = business.chart === null ? toGiantChart(this.#giantAccounts, number, random) : toAccounts(business.chart, number, random)
    const edits = this.#state.editsOf(businessId)
    const isLeft = ({ id }: Row) => !edits.removed.includes(id)
    const journals = toJournals(business.routines, business.months, seeded, number, random)
    const books = { accounts: seeded.filter(isLeft), journals: journals.filter(isLeft) }
    for (const account of edits.accounts) putRow(books.accounts, account, 'id')
    this.#books.set(businessId, books)
    return books
  }

  /** Changes properties of an account as a bookkeeper would: its `updated_at` moves on. Answers the account. */
  editAccount(businessId: string, accountId: string, changes: Record<string, unknown>): Row {
    const before = this.booksOf(businessId).accounts.find(({ id }) => id === accountId)
    if (!before) throw new Error(`no account ${accountId} in business ${businessId}`)
    return this.#keep(businessId, { ...before, ...changes, id: accountId, updated_at: this.#now().toISOString() })
  }

  /** Adds an account, made now. Answers it. */
  addAccount(businessId: string, plan: { code: number; name: string; type: string }): Row {
    const indexes = this.booksOf(businessId).accounts.map(({ id }) => Number.parseInt(id.slice(-12), 16))
    const index = 1 + indexes.reduce((most, each) => Math.max(most, each), 0)
    const id = toId(Number.parseInt(businessId.slice(-4), 16), 'a', index)
    const group = TYPES[plan.type]?.group ?? ''
    const made = toAccount({ ...plan, id, group, control: null, classification: null, visibility: 'all', random: createRandom(index) })
    const at = this.#now().toISOString()
    return this.#keep(businessId, { ...made, created_at: at, updated_at: at })
  }

  /** Deletes an account or a journal: from then on it is in no answer. */
  remove(businessId: string, id: string): void {
    const books = this.booksOf(businessId)
    const rows = [books.accounts, books.journals].find((list) => list.some((row) => row.id === id))
    if (!rows) throw new Error(`no account or journal ${id} in business ${businessId}`)
    rows.splice(
      rows.findIndex((row) => row.id === id),
      1,
    )
    const edits = this.#state.editsOf(businessId)
    edits.accounts = edits.accounts.filter((row) => row.id !== id)
    edits.removed.push(id)
    this.#state.save()
  }

  #keep(businessId: string, account: Row): Row {
    putRow(this.booksOf(businessId).accounts, account, 'id')
    putRow(this.#state.editsOf(businessId).accounts, account, 'id')
    this.#state.save()
    return account
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
