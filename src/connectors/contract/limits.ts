/** What a source allows, as it counts. The engine keeps to it, over all processes. */
export type SourceLimit = {
  /** One word, unique in its source: the operator may set another number under it, and the metrics show it. */
  name: string
  /** `app`: shared by everything that this deployment calls at the source. `entity`: for each company's books by themselves. */
  scope: 'app' | 'entity'
  /** Names of the `hosts` whose calls count; all calls when left out. */
  hosts?: readonly string[]
  /** Only calls whose path begins with this count. */
  path?: string
} & ({ calls: number; perMs: number } | { concurrent: number })

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** The longest month: a cap by calendar month is kept by never exceeding it in any 31 days. */
export const MONTH_MS = 31 * DAY_MS

/** The limits with the operator's numbers in place of ours; 0 takes a limit away. */
export function withNumbers(limits: readonly SourceLimit[], numbers: Readonly<Record<string, number>>): SourceLimit[] {
  return limits
    .map((limit) => {
      const number = numbers[limit.name]
      if (number === undefined) return limit
      return 'calls' in limit ? { ...limit, calls: number } : { ...limit, concurrent: number }
    })
    .filter((limit) => ('calls' in limit ? limit.calls : limit.concurrent) > 0)
}

/** Those for which a call counts. `hosts` are the names of its address among the source's hosts. */
export function limitsOf(
  limits: readonly SourceLimit[],
  call: { hosts: readonly string[]; path: string; hasEntity: boolean },
): SourceLimit[] {
  return limits.filter(
    (limit) =>
      (limit.scope === 'app' || call.hasEntity) &&
      (limit.hosts === undefined || limit.hosts.some((host) => call.hosts.includes(host))) &&
      (limit.path === undefined || call.path.startsWith(limit.path)),
  )
}

/** For which books a source that asks to wait is left alone: for all (null) where everything it allows is shared by the whole app. */
export function entityToPause(limits: readonly SourceLimit[], entity: string | null): string | null {
  return limits.length > 0 && limits.every((limit) => limit.scope === 'app') ? null : entity
}
