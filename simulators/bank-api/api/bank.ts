import { type Movement, movementsOf } from '../../kit/data/movements.ts'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import { type Account, CUSTOMERS, type Customer } from '../data/customers.ts'
import type { FaultName } from '../faults.ts'

/** An authenticated API call. */
export interface BankCall {
  path: string
  query: URLSearchParams
  now: Date
  faults: Faults<FaultName>
  /** Public base URL of the API, for links. */
  base: string
  /** Ids of transactions that the bank removed. */
  removed: ReadonlySet<string>
}

/** How one bank presents its API. */
export interface Flavour {
  /** The connector's key. */
  key: string
  /** Path prefix of its API. */
  apiPath: string
  tokenPath: string
  discovery: boolean
  /** Headers required on every API call. */
  headers: Readonly<Record<string, string>>
  answer(call: BankCall): Reply
  /** The bank's own reply to too many calls. */
  throttled: Reply
}

export function findCustomer(id: string): Customer | null {
  return CUSTOMERS.find((customer) => customer.id === id) ?? null
}

export function findAccount(id: string): Account | null {
  return CUSTOMERS.flatMap(({ accounts }) => accounts).find((account) => account.id === id) ?? null
}

/** A transaction in its current state, pending or booked, with the id of that state. */
export interface Shown extends Movement {
  isPending: boolean
  shownId: string
}

/** Transactions since `from`, newest first. */
export function listMovements({ now, removed }: BankCall, account: Account, from: Date): Shown[] {
  const everyDays = account.id.startsWith('HB9') ? 60 : 6
  return movementsOf({ id: account.id.padEnd(12, '0') }, now, everyDays)
    .map((movement) => {
      const isPending = movement.pendingId !== null && movement.bookedAt > now
      return { ...movement, isPending, shownId: isPending ? (movement.pendingId ?? movement.id) : movement.id }
    })
    .filter(({ at, shownId }) => at >= from && !removed.has(shownId))
}

/** Rows of one page and its position; with an armed fault, those of the previous page. */
export function pageOf<Row>(call: BankCall, rows: readonly Row[], page: { start: number; size: number }): { rows: Row[]; end: number } {
  const start = page.start > 0 && call.faults.take('repeatPage') ? Math.max(0, page.start - page.size) : page.start
  return { rows: rows.slice(start, start + page.size), end: start + page.size }
}

/** A query parameter as an integer. */
export function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(query.get(name) ?? otherwise)
  return Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}
