import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, type Credentials, SourceError } from '../../src/connectors/contract/contract.ts'
import { Status } from '../../src/model/statuses.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { openCredentials } from '../../src/sync/credentials/credentials-open.ts'
import { RunCredentials } from '../../src/sync/credentials/run-credentials.ts'
import { addGrantedConnection } from '../harness/app/connections.ts'
import { SILENT } from '../harness/app/sync-deps.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const NOW = new Date('2026-07-01T12:00:00Z')
const HOUR_MS = 3_600_000
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))

/** Answers of the source to a refresh, in order. */
let answers: (Credentials | Error)[]
let asked: Credentials[]
let hidden: string[]
beforeEach(async () => {
  answers = []
  asked = []
  hidden = []
  await harness.deps.database.query('delete from source_alarms')
})

const deps = (more: Partial<SyncDeps> = {}): SyncDeps => ({
  ...harness.deps,
  ...{ now: () => NOW, log: SILENT, hide: (value) => void hidden.push(value) },
  ...more,
})
const set = (token: string, inMs: number | null): Credentials => ({
  secret: { token },
  expiresAt: inMs === null ? null : new Date(NOW.getTime() + inMs).toISOString(),
})
const connect = (credentials: Credentials) =>
  addGrantedConnection(deps(), harness.instanceId, {
    ...{ connectorKey: 'books', status: Status.Authorized, credentials, entity: { id: 'b', name: 'Books' } },
  })
function connector(refreshes: boolean): Connector {
  const { refreshCredentials: _, ...without } = books.connector
  if (!refreshes) return without
  return {
    ...without,
    refreshCredentials: async (_kit, credentials) => {
      asked.push(credentials)
      const answer = answers.shift() ?? set(`fresh-${asked.length}`, HOUR_MS)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}
type ConnectionKey = Awaited<ReturnType<typeof connect>>
const source = () => {
  const found = harness.deps.sources.get('books')
  if (!found) throw new Error('no source')
  return found
}
const open = (place: ConnectionKey, rejected: number | null = null, { refreshes = true } = {}) =>
  openCredentials(deps(), source(), connector(refreshes), place, rejected)
const row = async (place: ConnectionKey) =>
  (
    await harness.deps.database.query(
      `select credentials_generation as generation, refresh_owner as owner, refresh_failures as failures, credentials_expires_at as "expiresAt",
         refresh_not_before > clock_timestamp() as "waits" from connections where id = $1`,
      [place.id],
    )
  ).rows[0]
const write = (place: ConnectionKey, assignments: string) =>
  harness.deps.database.query(`update connections set ${assignments} where id = $1`, [place.id])

describe('credentials that are opened', () => {
  it.each<[string, number | null, number | null, string]>([
    ['that never expire are used as they are', null, null, 'old'],
    ['that are valid are used as they are', HOUR_MS, null, 'old'],
    ['that expire now are refreshed', 0, null, 'fresh-1'],
    ['that have expired are refreshed', -1, null, 'fresh-1'],
    ['that the source has refused are refreshed', HOUR_MS, 1, 'fresh-1'],
    ['of a newer set than the refused one are used as they are', HOUR_MS, 0, 'old'],
  ])('%s', async (_what, inMs, rejected, token) => {
    const place = await connect(set('old', inMs))
    const found = await open(place, rejected)
    expect(found).toMatchObject({ credentials: { secret: { token } }, generation: token === 'old' ? 1 : 2 })
    expect(asked).toEqual(token === 'old' ? [] : [set('old', inMs)])
    expect(hidden).toContain(token)
    expect(await open(place, rejected)).toMatchObject({ credentials: { secret: { token } } })
    expect(await row(place)).toMatchObject({ owner: null, failures: 0, generation: found.generation })
  })

  it.each([
    ['after four fifths of their time', `credentials_refresh_at = '2026-07-01T12:00:00Z'`, 'fresh-1'],
    ['not before', `credentials_refresh_at = '2026-07-01T12:00:01Z'`, 'old'],
    [
      'not while a failed refresh waits',
      `credentials_refresh_at = '2026-07-01T11:00:00Z', refresh_not_before = now() + interval '1 hour'`,
      'old',
    ],
  ])('are refreshed ahead of time %s', async (_what, assignments, token) => {
    const place = await connect(set('old', HOUR_MS))
    await write(place, assignments)
    expect((await open(place)).credentials.secret).toEqual({ token })
  })

  it('are used further when a refresh ahead of time fails, unless they are refused', async () => {
    const place = await connect(set('old', HOUR_MS))
    await write(place, `credentials_refresh_at = '2026-07-01T12:00:00Z'`)
    answers = [new SourceError('unavailable', 'HTTP 503')]
    expect((await open(place)).credentials.secret).toEqual({ token: 'old' })
    expect(await row(place)).toMatchObject({ failures: 1, waits: true, owner: null })
    await write(place, `refresh_not_before = null`)
    answers = [new SourceError('reconnect', 'invalid_grant'), new SourceError('reconnect', 'invalid_grant')]
    await expect(open(place)).rejects.toMatchObject({ kind: 'reconnect' })
    expect([asked.length, (await row(place)).waits]).toEqual([3, null])
  })

  it('are used further while another process refreshes them ahead of time', async () => {
    const place = await connect(set('old', HOUR_MS))
    await write(
      place,
      `credentials_refresh_at = '2026-07-01T12:00:00Z', refresh_owner = gen_random_uuid(), refresh_lease_until = now() + interval '1 minute', refresh_started_at = now()`,
    )
    expect([(await open(place)).credentials.secret, asked]).toEqual([{ token: 'old' }, []])
  })

  it('that are due wait as long as a failed refresh has to', async () => {
    const place = await connect(set('old', -1))
    answers = [new SourceError('rateLimited', '429', { retryAfterMs: 3_600_000 })]
    await expect(open(place)).rejects.toMatchObject({ kind: 'rateLimited', message: '429' })
    const error = await open(place).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'rateLimited', message: 'the last refresh failed, the next one has to wait' })
    expect([asked.length, Number((error as SourceError).retryAfterMs) > 3_500_000]).toEqual([1, true])
  })

  it('that the source cannot refresh end when they are refused', async () => {
    const place = await connect(set('old', HOUR_MS))
    expect(await open(place, 0, { refreshes: false })).toMatchObject({ generation: 1 })
    await expect(open(place, 1, { refreshes: false })).rejects.toMatchObject({
      ...{ kind: 'reconnect', message: 'the source refused the credentials' },
    })
  })

  it('are none of a connection that has none', async () => {
    const place = await connect(set('old', null))
    await write(place, 'credentials = null')
    await expect(open(place)).rejects.toMatchObject({ kind: 'reconnect', message: 'the connection has no credentials' })
  })
})

describe('refused keys of the app', () => {
  const refused = () => new SourceError('unavailable', 'invalid_client', { isClientRefused: true })

  it('raise the alarm, and make no connection wait for itself', async () => {
    const place = await connect(set('old', -1))
    answers = [refused()]
    await expect(open(place)).rejects.toMatchObject({ isClientRefused: true })
    const { rowCount } = await harness.deps.database.query('select from source_alarms')
    expect([rowCount, (await row(place)).waits]).toEqual([1, null])
    await expect(open(place)).rejects.toMatchObject({ isClientRefused: true })
    expect(asked.length).toBe(1)
    await expect(open(await connect(set('other', HOUR_MS)), null, { refreshes: false })).rejects.toMatchObject({ isClientRefused: true })
  })

  it('are no alarm any more once a refresh has succeeded', async () => {
    const place = await connect(set('old', -1))
    answers = [refused()]
    await expect(open(place)).rejects.toThrow()
    await harness.deps.database.query(`update source_alarms set retry_at = now() - interval '1 second'`)
    expect((await open(place)).generation).toBe(2)
    expect((await harness.deps.database.query('select from source_alarms')).rowCount).toBe(0)
  })
})

describe('a set that was refreshed', () => {
  it('is stored with its times, and the one before is gone', async () => {
    const place = await connect(set('old', -1))
    answers = [set('new', 10 * HOUR_MS)]
    await open(place)
    const { rows } = await harness.deps.database.query(
      `select credentials_expires_at as "expiresAt", credentials_refresh_at as "refreshAt", (select count(*)::int from credential_versions) as versions
       from connections where id = $1`,
      [place.id],
    )
    const refreshInMs = rows[0].refreshAt.getTime() - NOW.getTime()
    expect(rows[0]).toMatchObject({ expiresAt: new Date(NOW.getTime() + 10 * HOUR_MS), versions: 0 })
    expect([refreshInMs >= 7.2 * HOUR_MS, refreshInMs <= 8.8 * HOUR_MS]).toEqual([true, true])
    expect(hidden).toContain('new')
  })

  it('that never expires is never refreshed ahead of time', async () => {
    const place = await connect(set('old', -1))
    answers = [set('new', null)]
    await open(place)
    const { rows } = await harness.deps.database.query(
      'select credentials_expires_at as at, credentials_refresh_at as refresh from connections where id = $1',
      [place.id],
    )
    expect(rows).toEqual([{ at: null, refresh: null }])
  })

  it('replaces that of a run when the source refuses it', async () => {
    const place = await connect(set('old', HOUR_MS))
    const credentials = await RunCredentials.open(deps(), source(), connector(true), place)
    expect(credentials.current).toMatchObject({ generation: 1, credentials: { secret: { token: 'old' } } })
    await credentials.renew()
    expect(credentials.current).toMatchObject({ generation: 2, credentials: { secret: { token: 'fresh-1' } } })
  })
})
