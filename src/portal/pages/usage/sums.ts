import type { Usage } from '../../api/generated/types.ts'

export interface DaySum {
  /** YYYY-MM-DD, UTC. */
  day: string
  count: number
}

const DAY_MS = 86_400_000

/** Counts for every day of the range, zero included, oldest first. */
export function toDays({ from, to }: Pick<Usage, 'from' | 'to'>, counts: readonly DaySum[]): DaySum[] {
  const sums = new Map<string, number>()
  for (const { day, count } of counts) sums.set(day, (sums.get(day) ?? 0) + count)
  const days: DaySum[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.push({ day, count: sums.get(day) ?? 0 })
  }
  return days
}

/** Sums of statuses with the same display name. */
export function sumByName<Row extends { statusCode: number; count: number }>(
  counts: readonly Row[],
  nameOf: (statusCode: Row['statusCode']) => string,
): Row[] {
  return [...Map.groupBy(counts, ({ statusCode }) => nameOf(statusCode)).values()].flatMap((all) => {
    const [first] = all
    return first ? [{ ...first, count: all.reduce((sum, { count }) => sum + count, 0) }] : []
  })
}

/** Sums over all days by operation, most requests first. */
export function sumByOperation(counts: Usage['api']): { operation: string; requests: number; refused: number; failed: number }[] {
  const add = (all: Usage['api'], least: number) => all.reduce((sum, { status, count }) => sum + (status >= least ? count : 0), 0)
  return [...Map.groupBy(counts, ({ operation }) => operation)]
    .map(([operation, all]) => ({ operation, requests: add(all, 0), refused: add(all, 400) - add(all, 500), failed: add(all, 500) }))
    .sort((one, other) => other.requests - one.requests || one.operation.localeCompare(other.operation))
}
