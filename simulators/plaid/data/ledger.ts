import { addDays, toDayText } from '../../kit/data/days.ts'
import { hashId } from '../../kit/random.ts'
import type { Account, Item, Transaction } from '../state.ts'
import { type Movement, movementsOf } from './movements.ts'

const DAY_MS = 86_400_000
/** Days after which a pending transaction is booked. */
const PENDING_DAYS = 2

/** Generates the history of a new item; balances stay as given. */
export function writeHistory(item: Item, seed: number, days: number, nowMs: number): void {
  item.through = toDayText(nowMs - days * DAY_MS)
  advance(item, seed, nowMs, false)
}

/**
 * Advances an item to the day of `nowMs`: adds new transactions, books pending ones. Returns whether anything changed.
 */
export function advanceItem(item: Item, seed: number, nowMs: number): boolean {
  return advance(item, seed, nowMs, true)
}

/** Adds one transaction as the next change; it affects the balance when it is booked. */
export function addTransaction(item: Item, account: Account, transaction: Omit<Transaction, 'addedAt' | 'modifiedAt' | 'removedAt'>): void {
  item.sequence += 1
  item.transactions.push({ ...transaction, addedAt: item.sequence, modifiedAt: null, removedAt: null })
  if (!transaction.pending) applyToBalance(account, transaction.cents)
}

export function touchTransaction(item: Item, transaction: Transaction): void {
  item.sequence += 1
  transaction.modifiedAt = item.sequence
}

export function removeTransaction(item: Item, transaction: Transaction): void {
  item.sequence += 1
  transaction.removedAt = item.sequence
}

function advance(item: Item, seed: number, nowMs: number, moveBalances: boolean): boolean {
  const today = toDayText(nowMs)
  const before = item.sequence
  for (let day = addDays(item.through, 1); day <= today; day = addDays(day, 1)) {
    bookPending(item, seed, addDays(day, -PENDING_DAYS), moveBalances)
    for (const [index, movement] of movementsOf(seed, item.institutionId, day).entries()) {
      const account = item.accounts.find((candidate) => candidate.role === movement.role)
      if (account) enter(item, account, movement, toTransactionId(item, seed, day, index), day, today, moveBalances)
    }
    item.through = day
  }
  if (item.sequence !== before) item.updatedAt = nowMs
  return item.sequence !== before
}

function enter(item: Item, account: Account, movement: Movement, id: string, day: string, today: string, moveBalances: boolean): void {
  // In the history of a new item only the last days are pending: transactions booked long ago never appear as pending.
  const pending = movement.pending && (moveBalances || day > addDays(today, -PENDING_DAYS))
  const { role: _role, pending: _pending, ...words } = movement
  const pendingId = movement.pending && !pending ? `${id.slice(0, -1)}p` : null
  item.sequence += 1
  item.transactions.push({
    id,
    accountId: account.accountId,
    day: movement.pending && !pending ? addDays(day, 1) : day,
    authorizedDay: movement.pending ? day : null,
    ...words,
    pending,
    pendingId,
    addedAt: item.sequence,
    modifiedAt: null,
    removedAt: null,
  })
  if (moveBalances && !pending) applyToBalance(account, movement.cents)
}

/** A booked transaction is a new record that names the pending one, which is removed. */
function bookPending(item: Item, seed: number, upTo: string, moveBalances: boolean): void {
  const due = item.transactions.filter((entry) => entry.pending && entry.removedAt === null && entry.day <= upTo)
  for (const pending of due) {
    removeTransaction(item, pending)
    const account = item.accounts.find((candidate) => candidate.accountId === pending.accountId)
    if (!account) continue
    item.sequence += 1
    item.transactions.push({
      ...pending,
      id: hashId(37, seed, 'booked', pending.id),
      day: addDays(pending.day, 1),
      pending: false,
      pendingId: pending.id,
      addedAt: item.sequence,
      modifiedAt: null,
      removedAt: null,
    })
    if (moveBalances) applyToBalance(account, pending.cents)
  }
}

function applyToBalance(account: Account, cents: number): void {
  const owed = account.type === 'credit' || account.type === 'loan'
  const change = owed ? cents : -cents
  if (account.currentCents !== null) account.currentCents += change
  if (account.availableCents !== null) account.availableCents += owed ? -change : change
}

function toTransactionId(item: Item, seed: number, day: string, index: number): string {
  return hashId(37, seed, 'transaction', item.number, day, index)
}
