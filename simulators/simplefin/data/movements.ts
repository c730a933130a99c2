import type { Account } from '../state.ts'

const DAY_S = 86_400
const NOON_S = 43_200
const YEAR_DAYS = 365
const TEXTS = ['MARCHÉ DU VIEUX-PORT', 'HYDRO-QUÉBEC', 'SQUARE INC', 'LOYER – RUE DU QUAI', 'Interac e-Transfer', 'PAYROLL']

/** Transaction number `n` has the same date at any time, since days are counted from the start. */
export function listMovements(account: Account, fromS: number, toS: number, nowS: number, withPending: boolean): Record<string, unknown>[] {
  const every = account.movements === 0 ? 0 : (YEAR_DAYS * DAY_S) / account.movements
  const rows: Record<string, unknown>[] = []
  if (every > 0) {
    for (let n = Math.max(0, Math.ceil((fromS - DAY_S) / every)); n * every < Math.min(toS, nowS) + DAY_S; n++) {
      const posted = Math.floor((n * every) / DAY_S) * DAY_S + NOON_S
      const id = `TRN-${n}`
      if (posted < fromS || posted >= Math.min(toS, nowS) || account.dropped.includes(id)) continue
      rows.push({
        id,
        posted,
        amount: (((n * 7919) % 40_000) / 100 - 180).toFixed(2),
        description: TEXTS[n % TEXTS.length],
        transacted_at: posted - DAY_S,
        ...(n % 3 === 0 ? { payee: 'Square' } : {}),
        ...(n % 5 === 0 ? { extra: { category: 'supplies' } } : {}),
      })
    }
  }
  for (const [id, { amount, description, bookedAs }] of Object.entries(account.pending)) {
    const day = Math.floor(nowS / DAY_S) * DAY_S - NOON_S
    if (bookedAs !== null && day >= fromS) rows.push({ id: bookedAs, posted: day, amount, description })
    if (bookedAs === null && withPending) rows.push({ id, posted: 0, amount, description, transacted_at: day, pending: true })
  }
  return rows.sort((a, b) => Number(a.posted) - Number(b.posted))
}
