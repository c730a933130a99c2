import type { LoadResult, LoadTool } from '../load/load.ts'
import type { Subject } from './subjects.ts'

/** A subject compared with the bare server immediately before and after it. */
export interface Comparison {
  /** Requests per second, as a share of the bare server's. */
  speed: number
  /** Processor time per request of the bare server, as a share of the subject's. */
  thrift: number
  /** 99th percentile of latency, as a multiple of the bare server's. */
  tail: number
  perSecond: number
  p50Ms: number
}

interface Slice extends LoadResult {
  cpuMicrosPerRequest: number
}

export interface RoundOptions {
  tool: LoadTool
  connections: number
  seconds: number
}

/** Before it is measured, a subject works this long: it has rested since the last round, which the bare server never does. */
const WARM_UP_SECONDS = 1

/**
 * Measures each subject once, with the bare server before, between and after them, so that other load on the machine
 * affects both alike.
 */
export async function runRound(bare: Subject, subjects: readonly Subject[], options: RoundOptions): Promise<Map<Subject, Comparison>> {
  const comparisons = new Map<Subject, Comparison>()
  let before = await measure(bare, options)
  for (const subject of subjects) {
    await measure(subject, { ...options, seconds: WARM_UP_SECONDS })
    const slice = await measure(subject, options)
    const after = await measure(bare, options)
    comparisons.set(subject, compare(slice, before, after))
    before = after
  }
  return comparisons
}

/** Throws if requests failed or answers did not have the subject's size. */
export async function measure({ name, server, requests, bytes }: Subject, { tool, connections, seconds }: RoundOptions): Promise<Slice> {
  const cpuBefore = await server.cpuMicros()
  const result = await tool.run({ port: server.port, requests, connections, seconds })
  const cpuMicrosPerRequest = ((await server.cpuMicros()) - cpuBefore) / result.requests
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} of ${result.requests} requests failed`)
  // An answer in progress at the deadline is not counted, but its bytes may be.
  const slack = 1.05
  if (result.bytesPerRequest < bytes.least / slack || result.bytesPerRequest > bytes.most * slack) {
    throw new Error(`${name}: answers of ${Math.round(result.bytesPerRequest)} bytes, not ${bytes.least} to ${Math.round(bytes.most)}`)
  }
  return { ...result, cpuMicrosPerRequest }
}

function compare(slice: Slice, before: Slice, after: Slice): Comparison {
  return {
    speed: slice.perSecond / mean(before.perSecond, after.perSecond),
    thrift: mean(before.cpuMicrosPerRequest, after.cpuMicrosPerRequest) / slice.cpuMicrosPerRequest,
    tail: slice.p99Ms / mean(before.p99Ms, after.p99Ms),
    perSecond: slice.perSecond,
    p50Ms: slice.p50Ms,
  }
}

function mean(a: number, b: number): number {
  return (a + b) / 2
}
