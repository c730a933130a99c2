import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inJobSpan } from '../../src/jobs/job-span.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import type { ClaimedDelivery } from '../../src/store/webhooks/deliveries.ts'
import { installTracer, type Parent, type SpanFacts, type SpanKind } from '../../src/tracing/spans.ts'
import type { AttemptResult } from '../../src/webhooks/attempt-result.ts'
import { inDeliverySpan } from '../../src/webhooks/delivery-span.ts'

const RAISED = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const OWN = `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01`

interface Opened {
  name: string
  kind: SpanKind
  parent: Parent
  facts: SpanFacts
  failure?: unknown
}

let opened: Opened[]
beforeEach(() => {
  opened = []
  installTracer({
    open: (name, kind, parent, facts) => {
      const span: Opened = { name, kind, parent, facts }
      opened.push(span)
      return {
        set: (more) => void Object.assign(facts, more),
        end: (failure) => void (failure === undefined || Object.assign(span, { failure })),
        run: (work) => work(),
      }
    },
    openLeaf: () => null,
    traceParent: () => OWN,
  })
})
afterEach(() => installTracer(null))

const instanceId = randomUUID()

it.each([[RAISED], [null]])('a job runs within a span of the trace that queued it: %s', async (traceParent) => {
  const id = randomUUID()
  const job: Job = {
    ...{ id, instanceId, kind: 'sync', key: 'a', payload: {}, attempts: 2, furthest: 0 },
    ...(traceParent === null ? {} : { traceParent }),
  }
  expect(await inJobSpan(job, async () => 'done')).toBe('done')
  const failure = new Error('of the job')
  await expect(inJobSpan(job, () => Promise.reject(failure))).rejects.toBe(failure)
  const facts = {
    'countinghouse.job.id': id,
    'countinghouse.job.kind': 'sync',
    'countinghouse.job.attempt': 2,
    'countinghouse.instance.id': instanceId,
  }
  const span = { name: 'job sync', kind: 'consumer', parent: { traceParent }, facts }
  expect(opened).toEqual([span, { ...span, failure }])
})

it.each([
  [200, 'delivered'],
  [null, 'failed'],
] as const)('an attempt with the status %s is a span of the trace of its event, which the receiver gets', async (httpStatus, result) => {
  const delivery: ClaimedDelivery = {
    ...{ instanceId, id: randomUUID(), subscriptionId: randomUUID(), callbackUrl: 'https://receiver.example/', eventId: randomUUID() },
    ...{ week: null, attemptWeek: null, kind: 'RawData', body: '{}', step: 0, lease: randomUUID(), wasDelivered: false },
    ...{ claimedAt: new Date(0), raisedAt: new Date(0), traceParent: RAISED },
  }
  const sent: AttemptResult = { result, httpStatus, error: null, response: 'not for a span', retryAfterMs: null }
  const parents: (string | null)[] = []
  const attempt = async (traceParent: string | null) => {
    parents.push(traceParent)
    return sent
  }
  expect(await inDeliverySpan(delivery, attempt)).toBe(sent)
  const facts = {
    ...{ 'countinghouse.instance.id': instanceId, 'countinghouse.event.kind': 'RawData', 'countinghouse.result': result },
    ...(httpStatus === null ? {} : { 'http.response.status_code': httpStatus }),
  }
  expect(opened).toEqual([{ name: 'webhook delivery', kind: 'client', parent: { traceParent: RAISED }, facts }])
  expect(parents).toEqual([OWN])
})
