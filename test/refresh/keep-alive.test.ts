import { describe, expect, it } from 'vitest'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import { Status } from '../../src/model/statuses.ts'
import { reconcileLeftVersions } from '../../src/sync/credentials/credentials-versions.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { enqueueKeepAlives } from '../../src/sync/runs/credentials-keep-alive.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import type { ConnectionKey } from './harness.ts'
import { openProvidersHarness, type ProviderKey } from './providers-harness.ts'

describe('unused credentials', () => {
  const providers = openForTests(openProvidersHarness)

  async function suspended(key: ProviderKey, days: number): Promise<ConnectionKey> {
    const place = await providers.authorize(key)
    const then = `clock_timestamp() - make_interval(days => ${days})`
    await providers.refreshHarness.write(
      place,
      `status = ${Status.Suspended}, resume_status = ${Status.Structured}, credentials_issued_at = ${then}`,
    )
    return place
  }

  /** Queues what is due and processes it. */
  async function turn(): Promise<string[]> {
    const { deps } = providers.refreshHarness
    await enqueueKeepAlives(deps.database, deps.sources)
    const jobs = await takeJobs(deps.database, 'keepAlive')
    for (const job of jobs) await runJob(syncHandlers(deps).keepAlive, job)
    return jobs.map(({ payload }) => String(payload.connectionId))
  }

  it('are refreshed after a week if they would expire, and the connection stays suspended', async () => {
    const place = await suspended('xero', 8)
    await suspended('xero', 6)
    await suspended('freshbooks', 300)
    expect(await turn()).toEqual([place.id])
    expect(await providers.refreshHarness.read(place, 'credentials_generation')).toBe(2)
    expect(await providers.refreshHarness.read(place, 'status')).toBe(Status.Suspended)
    expect(await turn()).toEqual([])
  })

  it('that have expired wait for the owner when the connection is resumed, and are not requested again', async () => {
    const place = await suspended('xero', 8)
    providers.xero.simulator.fault('revoked', 1)
    expect(await turn()).toEqual([place.id])
    expect(await providers.refreshHarness.read(place, 'status')).toBe(Status.Suspended)
    expect(await providers.refreshHarness.read(place, 'resume_status')).toBe(Status.Deauthorized)
    expect(await turn()).toEqual([])
  })

  it('are put to use by the next turn if their process died before it could', async () => {
    const { refreshHarness } = providers
    const place = await providers.authorize('xero')
    const crashPoint = (name: CrashPoint) =>
      name === 'after-token-version-before-move' ? Promise.reject(new Error('died')) : Promise.resolve()
    await expect(refreshHarness.open('xero', place, 1, { crashPoint })).rejects.toThrow('died')
    expect(await reconcileLeftVersions(refreshHarness.deps.database, refreshHarness.deps)).toBe(0)
    await refreshHarness.deps.database.query(`update credential_versions set stored_at = clock_timestamp() - interval '2 minutes'`)
    expect(await reconcileLeftVersions(refreshHarness.deps.database, refreshHarness.deps)).toBe(1)
    expect(await refreshHarness.read(place, 'credentials_generation')).toBe(2)
  })
})
