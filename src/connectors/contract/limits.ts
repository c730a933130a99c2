/** Rate limit of a source, counted as the source does. Enforced by the engine, over all processes. */
export type SourceLimit = {
  /** One word, unique in its source: the operator can override the number by it, and it is a label of the metrics. */
  name: string
  /** `app`: shared by all calls of this deployment to the source. `entity`: separate for each company's books. */
  scope: 'app' | 'entity'
  /** Names of the `hosts` whose calls count; default: all calls. */
  hosts?: readonly string[]
  /** Only calls whose path begins with this count. */
  path?: string
} & ({ calls: number; perMs: number } | { concurrent: number })

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** Longest month: a limit per calendar month is kept by never exceeding it in any 31 days. */
export const MONTH_MS = 31 * DAY_MS

/** Limits with the operator's overrides; 0 removes a limit. */
export function withNumbers(limits: readonly SourceLimit[], numbers: Readonly<Record<string, number>>): SourceLimit[] {
  return limits
    .map((limit) => {
      const number = numbers[limit.name]
      if (number === undefined) return limit
      return 'calls' in limit ? { ...limit, calls: number } : { ...limit, concurrent: number }
    })
    .filter((limit) => ('calls' in limit ? limit.calls : limit.concurrent) > 0)
}

/** Limits for which a call counts. `hosts` are the names of its URL among the source's hosts. */
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

/** Books to pause when a source asks to wait: all (null) where all limits are shared by the whole app. */
export function entityToPause(limits: readonly SourceLimit[], entity: string | null): string | null {
  return limits.length > 0 && limits.every((limit) => limit.scope === 'app') ? null : entity
}
