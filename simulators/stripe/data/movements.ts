import { hashHex, hashNumber } from '../../kit/random.ts'
import type { Account } from '../state.ts'

export const DAY_SECONDS = 86_400
const HISTORY_DAYS = 100
const PENDING_DAYS = 2
/** Every n-th transaction is voided instead of posted. */
const VOID_EVERY = 17

const GIANT = 'Giant Holdings Bank'
export const INSTITUTIONS = ['Cañon Valley Bank', 'First Lakeshore Credit Union', 'Banque Évangéline (Louisiana)', GIANT]

const WORDS = ['Rocket Rides', 'PAYROLL 0712', 'Café Zócalo', 'Hôtel Évangéline', 'ACH DEPOSIT Peña & Sons', 'Check 1187', 'WIRE IN 20117']

interface Kind {
  name: string
  category: string
  subcategory: string
  balance: number | null
  perDay: number
  currency?: string
  hidesEnding?: boolean
}

/** An overdrawn account, one without a balance, unusual currencies, and enum values that Stripe does not document. */
const KINDS: readonly Kind[] = [
  { name: 'Business Checking', category: 'cash', subcategory: 'checking', balance: 1_843_055, perDay: 2 },
  { name: 'Épargne', category: 'cash', subcategory: 'savings', balance: 5_000_000, perDay: 1 },
  { name: 'Business Visa', category: 'credit', subcategory: 'credit_card', balance: -231_045, perDay: 1 },
  { name: 'Line of Credit', category: 'credit', subcategory: 'line_of_credit', balance: -4_000_000, perDay: 0 },
  { name: 'Warehouse Mortgage', category: 'credit', subcategory: 'mortgage', balance: -31_250_000, perDay: 0 },
  { name: 'Equipment Loan', category: 'credit', subcategory: 'other', balance: null, perDay: 0 },
  { name: 'Brokerage', category: 'investment', subcategory: 'other', balance: 77_700, perDay: 0, hidesEnding: true },
  { name: 'Overdrawn', category: 'cash', subcategory: 'other', balance: -4_417, perDay: 0 },
  { name: 'Yen Account', category: 'cash', subcategory: 'checking', balance: 120_500, perDay: 0, currency: 'jpy' },
  { name: 'Dinar Account', category: 'cash', subcategory: 'checking', balance: 1_234_567, perDay: 0, currency: 'kwd' },
  { name: 'Crypto Vault', category: 'digital_asset', subcategory: 'vault', balance: 5, perDay: 0 },
]

/** Accounts of an owner at a bank, deterministic in the seed, bank and customer, so that a relink finds them again. */
export function accountsAt(
  seed: number,
  institution: string,
  customer: string,
  giant: { accounts: number; perDay: number },
  now: number,
): Account[] {
  const kinds = institution === GIANT ? Array.from({ length: giant.accounts }, (_, index) => giantKind(index, giant.perDay)) : KINDS
  return kinds.map((kind, index) => ({
    id: `fca_${hashHex(24, seed, institution, customer, index)}`,
    customer,
    institution,
    name: kind.name,
    last4: kind.hidesEnding
      ? null
      : String(hashNumber(seed, institution, customer, index))
          .slice(-4)
          .padStart(4, '0'),
    category: kind.category,
    subcategory: kind.subcategory,
    currency: kind.currency ?? 'usd',
    balance: kind.balance,
    status: 'active',
    permissions: [],
    subscriptions: [],
    createdAt: now,
    firstDay: Math.floor(now / DAY_SECONDS) - HISTORY_DAYS,
    movementsPerDay: kind.perDay,
    balanceAskedAt: now,
    refreshes: [],
  }))
}

function giantKind(index: number, perDay: number): Kind {
  return { name: `Location ${index + 1}`, category: 'cash', subcategory: 'checking', balance: index, perDay: index % 60 === 0 ? perDay : 0 }
}

export type MovementStatus = 'pending' | 'posted' | 'void'

/** Status of a transaction at an instant; null before its day. */
export function statusAt(account: Account, number: number, seconds: number): MovementStatus | null {
  const age = Math.floor(seconds / DAY_SECONDS) - dayOf(account, number)
  if (age < 0) return null
  if (age < PENDING_DAYS) return 'pending'
  return number % VOID_EVERY === 5 ? 'void' : 'posted'
}

/** One transaction by its number, as of the last refresh. */
export function toMovement(account: Account, number: number) {
  const last = account.refreshes.at(-1) ?? { id: '', at: 0 }
  const status = statusAt(account, number, last.at)
  const day = dayOf(account, number)
  const settledAt = (day + PENDING_DAYS) * DAY_SECONDS
  const changed = account.refreshes.find(({ at }) => statusAt(account, number, at) === status) ?? last
  const cents = (hashNumber(account.id, number, 'amount') % 90_000) + 101
  return {
    id: `fctxn_${account.id.slice(4, 14)}${number.toString(36).padStart(6, '0')}`,
    object: 'financial_connections.transaction',
    account: account.id,
    amount: number % 3 === 0 ? cents : -cents,
    currency: account.currency,
    description: WORDS[number % WORDS.length] ?? '',
    livemode: false,
    status,
    status_transitions: { posted_at: status === 'posted' ? settledAt : null, void_at: status === 'void' ? settledAt : null },
    transacted_at: day * DAY_SECONDS + 43_200,
    transaction_refresh: changed.id,
    updated: changed.at,
  }
}

/** The number in an id; null if the id is not of this account. */
export function movementNumber(account: Account, id: string): number | null {
  const [, key, number] = /^fctxn_([0-9a-f]{10})([0-9a-z]{6})$/.exec(id) ?? []
  return key === account.id.slice(4, 14) && number !== undefined ? Number.parseInt(number, 36) : null
}

/** Transactions are numbered from the oldest, starting with 0. */
export function movementCount(account: Account): number {
  const last = account.refreshes.at(-1)
  return last ? Math.max(0, (Math.floor(last.at / DAY_SECONDS) - account.firstDay + 1) * account.movementsPerDay) : 0
}

function dayOf(account: Account, number: number): number {
  return account.firstDay + Math.floor(number / Math.max(1, account.movementsPerDay))
}
