import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, SourceError } from '../../src/connectors/contract/contract.ts'
import type { JobSignal } from '../../src/jobs/running-job.ts'
import { hasInstitutions } from '../../src/store/sources/institutions.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

class DirectorySource extends ScriptedSource {
  fault: Error | null = null

  override get connector(): Connector {
    return {
      ...super.connector,
      listInstitutions: async () => {
        if (this.fault) throw this.fault
        return { institutions: [{ id: 'b-1', name: 'Harbor', countries: ['CA'], routingNumbers: [], url: null }], next: null }
      },
    }
  }
}
const [books, directory] = [new ScriptedSource('books'), new DirectorySource('directory', 'Banking')]
Object.assign(directory.description, { hasInstitutions: true })
const harness = openForTests(() => openSyncHarness([books, directory]))
const logged: unknown[] = []

let connectionId: string
beforeEach(async () => {
  books.accounts = [{ id: '1', name: 'Cash' }]
  directory.fault = null
  logged.length = 0
  const companyId = await addCompany(harness.deps.database, harness.instanceId)
  connectionId = await companyActions(harness.deps, harness.instanceId, companyId).connect(books)
})

type Kind = keyof ReturnType<typeof syncHandlers>
const run = (kind: Kind, payload: object, { attempts = 1, signal = {} as Partial<JobSignal> } = {}) => {
  const log = { ...harness.deps.log, info: (fields: object, message: string) => void logged.push([fields, message]) }
  const job = { id: randomUUID(), instanceId: harness.instanceId, kind, key: '', attempts, furthest: 0 }
  const handler = syncHandlers({ ...harness.deps, log })[kind]
  return handler({ ...job, payload: { ...payload } }, { isStopping: () => false, advance: () => undefined, ...signal })
}
const DONE = { done: true }
const runs = async () =>
  (
    await harness.deps.database.query(
      `select id, reason, is_awaited as "isAwaited", state from sync_runs where connection_id = $1
       order by started_at, id`,
      [connectionId],
    )
  ).rows

describe('the job of a sync', () => {
  it('reads the connection for its reason, and says so', async () => {
    const pages: number[] = []
    const signal = { advance: (page: number) => void pages.push(page) }
    expect(await run('sync', { connectionId, reason: 'schedule' }, { signal })).toEqual(DONE)
    expect(await runs()).toMatchObject([{ reason: 'schedule', isAwaited: false, state: 'published' }])
    expect([pages, logged]).toEqual([[1], [[{ connectionId, result: 'published' }, 'sync done']]])
  })

  it('has the id that was promised to whoever asked for it', async () => {
    const runId = randomUUID()
    const requestedAt = new Date(Date.now() - 60_000).toISOString()
    expect(await run('sync', { connectionId, reason: 'refresh', isAwaited: true, runId, requestedAt })).toEqual(DONE)
    expect(await runs()).toMatchObject([{ id: runId, reason: 'refresh', isAwaited: true }])
  })

  it('is queued again at once when its worker stops, and is no failure', async () => {
    const signal = { isStopping: () => true }
    expect(await run('sync', { connectionId, reason: 'schedule' }, { signal })).toEqual({
      ...{ done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' },
    })
  })

  it('that fails waits as its source says', async () => {
    books.faults = [new SourceError('rateLimited', '429', { retryAfterMs: 7_000 })]
    expect(await run('sync', { connectionId, reason: 'schedule' })).toEqual({ done: false, inMs: 7_000, isFailure: false, reason: '429' })
  })
})

describe('the job of a directory', () => {
  const again = { done: false, inMs: 24 * 3_600_000, isFailure: false, reason: 'nightly' }

  it('reads it, and again a day later', async () => {
    expect(await run('directory', { connectorKey: 'directory' })).toEqual(again)
    expect(await hasInstitutions(harness.deps.database, 'directory')).toBe(true)
    expect(logged).toEqual([[{ connector: 'directory', count: 1 }, 'directory read']])
    logged.length = 0
    expect([await run('directory', { connectorKey: 'directory', instanceId: harness.instanceId }), logged.length]).toEqual([again, 1])
  })

  it('of a source that is gone does nothing', async () => {
    expect([await run('directory', { connectorKey: 'gone' }), logged]).toEqual([again, []])
  })

  it.each([
    [7_000, 7_000],
    [10, 1_000],
  ])('waits as the source says (%i ms), and is no failure', async (retryAfterMs, inMs) => {
    directory.fault = new SourceError('rateLimited', '429', { retryAfterMs })
    expect(await run('directory', { connectorKey: 'directory' })).toEqual({ done: false, inMs, isFailure: false, reason: '429' })
  })

  it('fails with any other error', async () => {
    for (const fault of [new SourceError('unavailable', '503'), new Error('ours')]) {
      directory.fault = fault
      await expect(run('directory', { connectorKey: 'directory' })).rejects.toBe(fault)
    }
  })
})

describe('other jobs', () => {
  it('of what is gone are done', async () => {
    const gone = {
      connectionId: randomUUID(),
      companyId: randomUUID(),
      serviceId: randomUUID(),
      feedId: randomUUID(),
      exportId: randomUUID(),
    }
    const kinds = ['erase', 'keepAlive', 'replay', 'coverage', 'accountMatches', 'fileFeed', 'reschedule', 'export'] as const
    for (const kind of kinds) expect([kind, await run(kind, gone)]).toEqual([kind, DONE])
    expect(await run('complete', { match: Buffer.from('none').toString('base64url') })).toEqual(DONE)
  })

  it('that erase keep data that is locked for its owner', async () => {
    await run('sync', { connectionId, reason: 'first' })
    const count = async () =>
      (await harness.deps.database.query('select from record_versions where connection_id = $1', [connectionId])).rowCount
    await run('erase', { connectionId, keepsData: true })
    const kept = await count()
    await run('erase', { connectionId, keepsData: false })
    expect([kept, await count()]).toEqual([1, 0])
  })
})
