import { between, pick, seededRandom } from '../../kit/random.ts'
import type { Login, StoredAccount } from '../state.ts'
import { typeOfRole } from './accounts.ts'

type Fields = Record<string, unknown>

const DAY = 86_400
const EPOCH_DAY = Date.UTC(2020, 0, 1) / 1000 / DAY
/** Number of days for which a transaction is pending. */
const PENDING_DAYS = 2

const WORDS = [
  { text: 'POS TAMARACK OFFICE SUPPLY', payee: 'Tamarack Office Supply', category: 'Office Supplies', low: -31_900, high: -425 },
  { text: 'DEPOSIT ORLO & FINCH CATERING', payee: 'Orlo & Finch Catering', category: 'Deposit', low: 35_000, high: 148_000 },
  { text: 'ACH Hydro-Québec paiement', payee: 'Hydro-Québec', category: 'Utilities', low: -41_000, high: -14_000 },
  {
    text: 'No description provided by institution',
    memo: 'CHECK 1042',
    payee: 'Check',
    category: 'Uncategorized',
    low: -90_000,
    high: -5_000,
  },
  { text: 'POS CAFÉ DU COIN', payee: 'Café du Coin', category: 'Coffee Shops', low: -2_900, high: -350 },
]

/** Transactions of one account between two instants (in seconds), oldest first. */
export function movementsOf(
  login: Login,
  account: StoredAccount,
  window: { from: number; to: number; now: number; historyDays: number },
): Fields[] {
  const { from, to, now, historyDays } = window
  const type = typeOfRole(account.role)
  const today = Math.floor(now / DAY)
  const first = Math.max(Math.ceil(from / DAY), Math.floor(login.createdAt / DAY) - historyDays)
  const made: Fields[] = []
  for (let day = first; day <= Math.min(Math.floor(to / DAY), today); day += 1)
    made.push(...movementsOfDay(login, account, type, day, today))
  const entered = login.entered
    .filter(({ accountId, day }) => accountId === account.id && secondsOf(day) >= from && secondsOf(day) <= to)
    .map(({ id, day, cents, status, text }) => view(login, account, type, { id, seconds: secondsOf(day), cents, status, text }))
  return [...made, ...entered].sort((a, b) => Number(a.transactionDate) - Number(b.transactionDate))
}

function movementsOfDay(login: Login, account: StoredAccount, type: string, day: number, today: number): Fields[] {
  const roll = seededRandom('day', login.institutionId, account.role, day)
  const count = login.giant ? (day % 2 === 0 ? 1 : 0) : between(roll, 0, 2)
  return Array.from({ length: count }, (_, index) => {
    const words = pick(roll, WORDS)
    const age = today - day
    const isPending = age < PENDING_DAYS && words.high < 0
    // Some banks keep the number of a pending transaction when it is booked; others assign a new one.
    const isRenumbered = roll() < 0.5
    const isDropped = roll() < 0.004
    const isShadow = !isPending && age > 4 && isDropped
    const id = toId(account, day, index * 2 + (isRenumbered && !isPending ? 1 : 0))
    const cents = between(roll, words.low, words.high)
    const status = isPending ? 'pending' : isShadow ? 'shadow' : 'active'
    return view(login, account, type, { id, seconds: day * DAY + 50_400, cents, status, ...words })
  })
}

interface Entry {
  id: number
  seconds: number
  /** Positive for money that the owner receives. */
  cents: number
  status: string
  text: string
  memo?: string
  payee?: string
  category?: string
}

/** For cards, credit lines and investments the sign is reversed: money in is negative. */
function view(login: Login, account: StoredAccount, type: string, entry: Entry): Fields {
  const isInverted = type === 'creditCard' || type === 'lineOfCredit' || type === 'sepIRA'
  const cents = isInverted ? -entry.cents : entry.cents
  return {
    id: entry.id,
    amount: cents / 100,
    accountId: account.id,
    customerId: Number(login.customerId),
    status: entry.status,
    description: entry.text,
    ...(entry.memo ? { memo: entry.memo } : {}),
    transactionDate: entry.seconds,
    ...(entry.status === 'pending' ? {} : { postedDate: entry.seconds + DAY }),
    createdDate: entry.seconds,
    ...(entry.payee
      ? {
          categorization: {
            normalizedPayeeName: entry.payee,
            category: entry.category ?? '',
            country: 'USA',
            bestRepresentation: entry.payee,
          },
        }
      : {}),
  }
}

function toId(account: StoredAccount, day: number, place: number): number {
  return (account.id - 6_000_000_000) * 1_000_000 + (day - EPOCH_DAY) * 10 + place
}

function secondsOf(day: string): number {
  return Date.parse(`${day}T14:00:00Z`) / 1000
}
