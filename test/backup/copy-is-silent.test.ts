import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'
import { Status } from '../../src/model/statuses.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { checkKeys } from '../../src/store/keys/key-fingerprints.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { runCommand } from '../cli/run-command.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { openTestFolder, type Service, startService } from '../process/service.ts'
import type { ConnectionKey } from '../refresh/harness.ts'
import { openProvidersHarness } from '../refresh/providers-harness.ts'
import { passphrase } from './deployment.ts'

const signal = new AbortController().signal
const PASSWORD = 'harbour-violet-teapot-91'

/**
 * A source that accepts each refresh token once: if both the original and its copy refresh, the second one loses the
 * connection.
 */
describe('a restored copy beside its original', () => {
  const providers = openForTests(openProvidersHarness)
  let place: ConnectionKey
  let target: TestDatabase
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  let copy: Service
  let environment: Record<string, string>

  beforeAll(async () => {
    const { refreshHarness } = providers
    place = await providers.authorize('freshbooks')
    const { database } = refreshHarness.deps
    await checkKeys(database, await openKeys(refreshHarness.dataDir))
    // All of it is due: a queued sync, and another by the schedule.
    await refreshHarness.write(place, `update_scheduled_at = now() - interval '1 hour', credentials_refresh_at = now() - interval '1 hour'`)
    const payload = { connectionId: place.id, reason: 'schedule' }
    await enqueueJob(database, { instanceId: place.instanceId, kind: 'sync', key: `connection/${place.id}`, payload })
    folder = await openTestFolder()
    target = await testDatabase({ migrated: false })
    const path = join(folder.path, 'one.backup')
    const source = { databaseUrl: refreshHarness.url, dataDir: refreshHarness.dataDir, keysElsewhere: null, version: '0.1.0' }
    await writeBackup(source, { path, passphrase, signal })
    const dataDir = join(folder.path, 'data')
    await restoreBackup({ path, passphrase }, { dataDir, databaseUrl: new Secret(target.url), keysElsewhere: null })
    const { freshbooks } = refreshHarness.providers
    await writeFile(join(dataDir, 'sources.json'), JSON.stringify({ freshbooks }), { mode: 0o600 })
    environment = { DATABASE_URL: target.url, ENVIRONMENT: 'production', ALLOW_PRIVATE_ADDRESSES: 'true', SEED_PASSWORD: PASSWORD }
    copy = await startService({ dataDir, environment })
  })
  afterAll(async () => {
    await copy?.stop()
    await target?.drop()
    await folder?.remove()
  })

  const statusOf = async () =>
    (await target.database.query<{ status: number }>('select status from connections where id = $1', [place.id])).rows[0]?.status

  it('reports that it is paused: in the log, at /readyz and in its metrics', async () => {
    expect(copy.output()).toContain('the deployment is paused')
    const ready = await fetch(`${copy.baseUrl}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'ready', paused: 'restored' })])
  })

  it('calls no source, and the original continues', async () => {
    const { refreshHarness } = providers
    // Its worker is running: it has registered, and asks for jobs every second.
    await until('a worker of the copy', async () => ((await target.database.query('select from workers')).rowCount === 1 ? true : null))
    const before = providers.proxyOf('freshbooks').answers.length
    const generation: number = await refreshHarness.read(place, 'credentials_generation')
    providers.moveTime(13 * 3_600_000)
    expect(await refreshHarness.open('freshbooks', place, generation)).toMatchObject({ generation: generation + 1 })
    const answers = providers.proxyOf('freshbooks').answers.slice(before)
    expect(answers).toEqual([200])
    const { rows } = await target.database.query(`select kind, state, attempts from jobs`)
    expect(rows).toEqual([{ kind: 'sync', state: 'ready', attempts: 0 }])
    expect(await statusOf()).toBe(Status.Authorized)
  })

  it('works once it is resumed, which costs it the connection here', async () => {
    const before = providers.proxyOf('freshbooks').answers.length
    const resumed = await runCommand(['resume', '--json'], { ...environment, DATA_DIR: copy.dataDir })
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([0, expect.objectContaining({ paused: false })])
    const refused = () =>
      providers
        .proxyOf('freshbooks')
        .answers.slice(before)
        .some((status) => status >= 400)
    expect(await until('the source refuses the copy', () => (refused() ? true : null), 60_000)).toBe(true)
  }, 90_000)
})
