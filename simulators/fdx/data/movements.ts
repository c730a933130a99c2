import { type Account, toOpaqueId } from './accounts.ts'

/** A transaction as the bank shows it on one day. */
export interface Movement {
  id: string
  accountId: string
  /** Day of the purchase; it is posted two days later. */
  day: string
  postedDay: string
  cents: number
  isCredit: boolean
  isPending: boolean
  /** Authorization that this posting settled. */
  reference: string | null
  text: string
  payee: string | null
  category: string | null
}

const DAY_MS = 86_400_000
/** Number of days before and after the start of the book that have transactions. */
const PAST_DAYS = 120
const FUTURE_DAYS = 90
const SETTLES_AFTER_DAYS = 2

const PAYEES = [
  { text: 'Dépôt – Marché du Vieux-Port', payee: 'Marché du Vieux-Port', category: '5411', isCredit: true },
  { text: 'Hydro-Québec', payee: 'Hydro-Québec', category: '4900', isCredit: false },
  { text: 'POS 0041 QUINCAILLERIE ÉRABLE', payee: null, category: '5251', isCredit: false },
  { text: 'ACH CREDIT SCIOTO SUPPLY CO', payee: 'Scioto Supply Co.', category: null, isCredit: true },
  { text: 'Frais mensuels', payee: null, category: null, isCredit: false },
]

/**
 * Transactions of the account as of `today`, newest first. `doubles`: authorizations are listed alongside their
 * postings.
 */
export function listMovements(account: Account, createdDay: string, today: string, doubles: boolean): Movement[] {
  const { every } = account
  if (every === null) return []
  const found: Movement[] = []
  for (let offset = -PAST_DAYS; offset <= FUTURE_DAYS; offset++) {
    // Guarantees transactions on the first day of the book and the day before.
    const isDay = offset === 0 || (offset === -1 && every < 10) || offset % every === 0
    const day = daysAfter(createdDay, offset)
    if (isDay && day <= today) found.push(...toMovements(account, offset, day, today, doubles))
  }
  return found.reverse()
}

function toMovements(account: Account, offset: number, day: string, today: string, doubles: boolean): Movement[] {
  const place = Math.abs(offset)
  const about = PAYEES[place % PAYEES.length] ?? PAYEES[0]
  if (!about) return []
  const postedDay = daysAfter(day, SETTLES_AFTER_DAYS)
  const name = `${account.id}/${offset}`
  const [authorization, posting] = [toOpaqueId('auth', name), toOpaqueId('tx', name)]
  const common = { ...about, accountId: account.id, day, postedDay, cents: 1_000 + ((place * 7_919) % 90_000) }
  const pending: Movement = { ...common, id: authorization, isPending: true, reference: null }
  if (postedDay > today) return [pending]
  const posted: Movement = { ...common, id: posting, isPending: false, reference: authorization }
  return doubles && daysAfter(postedDay, 3) > today ? [posted, pending] : [posted]
}

function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}
