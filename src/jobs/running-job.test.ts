import { expect, it } from 'vitest'
import type { Job } from '../store/jobs/jobs.ts'
import { RunningJob } from './running-job.ts'

const job = (furthest: number): Job => ({
  ...{ id: 'j', instanceId: 'i', kind: 'sync', key: 'k', payload: {}, attempts: 5, furthest, traceParent: null },
})

it.each([
  [10, 9, { furthest: 10, attempts: 5 }],
  [10, 10, { furthest: 10, attempts: 5 }],
  [10, 11, { furthest: 11, attempts: 1 }],
  [0, 0, { furthest: 0, attempts: 5 }],
])('a job that had got to %i and reports %i: progress beyond all earlier attempts resets their failures', (before, position, after) => {
  const running = new RunningJob(job(before), 0)
  running.advance(position)
  expect(running.job).toMatchObject(after)
})
