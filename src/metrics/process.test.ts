import perfHooks from 'node:perf_hooks'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { registerProcessMetrics } from './process.ts'

test('the metrics of a process wake it at most once an hour', async () => {
  const monitor = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  const metrics = new Registry()
  registerProcessMetrics(metrics, { version: '1.2.3', role: 'api' })
  const precisions = monitor.mock.calls.map(([options]) => options?.resolution ?? 0)
  monitor.mockRestore()
  expect(precisions.length).toBeGreaterThan(0)
  expect(Math.min(...precisions)).toBeGreaterThanOrEqual(3_600_000)
  const text = await metrics.metrics()
  expect(text).toContain('countinghouse_info{version="1.2.3",role="api"} 1')
  expect(text.match(/^nodejs_eventloop_(?!utilization)\w+/gm)).toEqual(['nodejs_eventloop_lag_seconds'])
})
