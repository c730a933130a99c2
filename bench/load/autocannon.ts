import autocannon from 'autocannon'
import type { LoadResult, LoadTarget } from './load.ts'

/**
 * Load from a Node process, used if `wrk` is not installed. It is slower than the servers, so ratios come out closer
 * to 1.
 */
export async function loadByAutocannon({ port, requests, connections, seconds, pauseMs }: LoadTarget): Promise<LoadResult> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    // About the same: requests of a connection a second.
    ...(pauseMs !== undefined && { connectionRate: Math.ceil(1_000 / pauseMs) }),
    requests: requests.map(({ path, headers }) => ({ method: 'GET', path, headers })),
  })
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    bytesPerRequest: result.throughput.total / result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.errors + result.timeouts + result['4xx'] + result['5xx'],
  }
}
