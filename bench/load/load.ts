import { existsSync } from 'node:fs'
import { loadByAutocannon } from './autocannon.ts'
import { loadByWrk } from './wrk.ts'

/** A request that is sent over and over. */
export interface LoadRequest {
  path: string
  headers: Record<string, string>
}

export interface LoadTarget {
  port: number
  /** Sent in turn. */
  requests: readonly LoadRequest[]
  connections: number
  /** Whole ones. */
  seconds: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  bytesPerRequest: number
  p50Ms: number
  p99Ms: number
  /** Requests that got no answer or one from 400 on. */
  failed: number
}

export interface LoadTool {
  name: string
  run(target: LoadTarget): Promise<LoadResult>
}

const WRK = '/usr/bin/wrk'

/** `wrk` where Debian's is installed: it takes less of the machine that it shares with the server. */
export function chooseLoadTool(): LoadTool {
  if (existsSync(WRK)) return { name: 'wrk', run: (target) => loadByWrk(WRK, target) }
  return { name: 'autocannon', run: loadByAutocannon }
}
