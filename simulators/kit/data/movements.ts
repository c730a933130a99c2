import { createHash } from 'node:crypto'

/**
 * One transaction; a pending one is booked two days later under a new id, as at core banking systems that assign ids
 * overnight.
 */
export interface Movement {
  id: string
  pendingId: string | null
  at: Date
  bookedAt: Date
  amount: string
  memo: string
  displayName: string
  category: string | null
}

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2024, 9, 1)

const KINDS: readonly (readonly [memo: string, name: string, category: string | null, sign: 1 | -1])[] = [
  ['POS PURCHASE 0412 RED RIVER FLOUR MILL FARGO ND', 'Red River Flour Mill', 'Groceries', -1],
  ['ACH CREDIT SQUARE INC 8829', 'Square', 'Income', 1],
  ['CAFÉ CRÈME WHOLESALE — INV 2210', 'Café Crème', 'Income', 1],
  ['CHECK 1047', 'Check', null, -1],
  ['ELEC PMT CASS COUNTY ELECTRIC', 'Cass County Electric', 'Utilities', -1],
  ['INTEREST PAID', 'Interest', 'Interest', 1],
]

/**
 * All transactions of an account up to `now`, newest first. Deterministic in the account, so later times only add
 * transactions.
 */
export function movementsOf(account: { id: string }, now: Date, everyDays: number): Movement[] {
  const seed = createHash('sha256').update(account.id).digest()
  const movements: Movement[] = []
  const lastDay = Math.floor((now.getTime() - FIRST_DAY) / DAY_MS)
  for (let day = 0; day <= lastDay; day += 1) {
    if ((day + (seed[0] ?? 0)) % everyDays !== 0) continue
    const at = new Date(FIRST_DAY + day * DAY_MS + 14 * 3_600_000)
    if (at > now) continue
    const [memo, displayName, category, sign] = KINDS[(day + (seed[1] ?? 0)) % KINDS.length] ?? KINDS[0] ?? ['', '', null, 1]
    const cents = 500 + ((day * 7919 + (seed[2] ?? 0) * 104_729) % 90_000)
    const id = `${account.id.slice(0, 8)}${account.id.slice(-4)}-${String(day).padStart(6, '0')}`
    movements.push({
      id,
      pendingId: day % 2 === 0 ? `${id}-memo` : null,
      at,
      bookedAt: day % 2 === 0 ? new Date(at.getTime() + 2 * DAY_MS) : at,
      amount: `${sign < 0 ? '-' : ''}${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
      memo,
      displayName,
      category,
    })
  }
  return movements.reverse()
}
