import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { Status } from '../../src/model/statuses.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { signalOf } from '../harness/app/jobs.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const PAGES = 3 * MAX_ATTEMPTS
const OUTAGE = new SourceError('unavailable', 'HTTP 503')

let harness: SyncHarness
let source: ScriptedSource
let id: string

beforeEach(async () => {
  source = new ScriptedSource('books')
  source.pageSize = 1
  source.accounts = Array.from({ length: PAGES }, (_, n) => ({ id: String(n).padStart(3, '0'), name: `Account ${n}`, balance: '1.00' }))
  harness = await openSyncHarness([source])
  id = await harness.connect(source)
})
afterEach(async () => await harness.close())

/** Runs the job as workers do, until it ends; returns the number of attempts. */
async function runToEnd(): Promise<number> {
  const payload = { connectionId: id, reason: 'first', isAwaited: false }
  const job: Job = { id, instanceId: harness.instanceId, kind: 'sync', key: `connection/${id}`, payload, attempts: 0, furthest: 0 }
  const { sync } = syncHandlers(harness.deps)
  for (let ran = 1; ; ran += 1) {
    expect(ran).toBeLessThan(10 * PAGES)
    job.attempts += 1
    const outcome = await sync(job, signalOf(job))
    if (outcome.done) return ran
    if (!outcome.isFailure) job.attempts -= 1
  }
}

const status = async () => (await findConnection(harness.deps.database, harness.instanceId, id))?.status

describe('a long first read', () => {
  it('ends well although its source fails after every page', async () => {
    source.faults = Array.from({ length: PAGES - 1 }, () => [null, OUTAGE]).flat()
    expect(await runToEnd()).toBe(PAGES)
    expect(await status()).toBe(Status.Structured)
  })

  it('ends with a fault when it always fails at the same page, also when it begins again meanwhile', async () => {
    source.lastingFault = { cursor: 5, error: new SourceError('badData', 'a page of HTML') }
    expect(await runToEnd()).toBeLessThanOrEqual(2 * MAX_ATTEMPTS)
    expect(await status()).toBe(Status.LoadingError)
  })
})
