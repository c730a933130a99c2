import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { activeTracer } from '../../tracing/spans.ts'
import { startOpenTelemetry } from './open-telemetry.ts'

const TRACES = 2_000

let stop: () => Promise<void>
beforeAll(() => {
  stop = startOpenTelemetry(
    {
      tracesUrl: 'http://127.0.0.1:9/v1/traces',
      metricsUrl: null,
      sampler: { name: 'parentbased_traceidratio', ratio: 0.5 },
      spanDelayMs: 3_600_000,
      metricIntervalMs: 60_000,
    },
    { facts: { version: '1.0.0', role: 'api' }, metrics: new Registry(), onFailure: () => undefined },
  )
})
afterAll(async () => await stop())

it('a trace after a read that was not sampled is sampled as often as any other', () => {
  const tracer = activeTracer()
  if (!tracer) throw new Error('no tracer')
  let leaves = 0
  let sampled = 0
  for (let index = 0; index < TRACES; index += 1) {
    if (tracer.openLeaf('server', null, () => ({ name: 'read', facts: {} }))) leaves += 1
    const span = tracer.open('job', 'internal', { traceParent: null }, {})
    if (span.run(() => tracer.traceParent())?.endsWith('-01')) sampled += 1
  }
  for (const count of [leaves, sampled]) expect(Math.abs(count / TRACES - 0.5)).toBeLessThan(0.08)
})
