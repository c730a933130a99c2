import { existsSync } from 'node:fs'
import { loadByAutocannon } from './autocannon.ts'
import { loadByWrk } from './wrk.ts'

/** A request that is sent repeatedly. */
export interface LoadRequest {
  path: string
  headers: Record<string, string>
}

export interface LoadTarget {
  port: number
  /** Requests sent in rotation. */
  requests: readonly LoadRequest[]
  connections: number
  /** Duration in whole seconds. */
  seconds: number
  /** Time that each connection waits after an answer, in milliseconds; none if absent. */
  pauseMs?: number
  /**
   * Whether the tool goes before everything else on the processors, where this process may give it that (root): what it
   * measures is then how long the server takes, not how long it waits itself, as on a machine of its own.
   */
  comesFirst?: boolean
}

export interface LoadResult {
  requests: number
  perSecond: number
  bytesPerRequest: number
  p50Ms: number
  p99Ms: number
  /** Requests without an answer, or with a status of 400 or above. */
  failed: number
}

export interface LoadTool {
  name: string
  run(target: LoadTarget): Promise<LoadResult>
}

const WRK = '/usr/bin/wrk'

/** Chooses `wrk` if it is installed: it uses less of the machine that it shares with the server. */
export function chooseLoadTool(): LoadTool {
  if (existsSync(WRK)) return { name: 'wrk', run: (target) => loadByWrk(WRK, target) }
  return { name: 'autocannon', run: loadByAutocannon }
}
