import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import { Status } from '../../src/model/statuses.ts'
import { saveVersion } from '../../src/store/connections/credential-versions.ts'
import { shredCredentials } from '../../src/store/connections/credentials.ts'
import { claimRefresh, releaseRefresh } from '../../src/store/connections/credentials-lease.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { SealError } from '../../src/store/keys/sealing.ts'
import { readCredentials } from '../../src/sync/credentials/credentials.ts'
import { reconcileVersions, sealVersion } from '../../src/sync/credentials/credentials-versions.ts'
import { revoke } from '../../src/sync/credentials/revocation.ts'
import { openForTests } from '../harness/for-tests.ts'
import type { ConnectionKey } from './harness.ts'
import { openProvidersHarness } from './providers-harness.ts'

const ANSWERED = 'after-provider-token-before-commit'

describe('a new set of credentials', () => {
  const providers = openForTests(openProvidersHarness)

  /** Refreshes and runs `event` between the provider's response and our commit. */
  async function refreshWhile(place: ConnectionKey, event: () => Promise<unknown>) {
    const crashPoint = async (name: CrashPoint) => {
      if (name === ANSWERED) await event()
    }
    return await providers.refreshHarness.open('xero', place, 1, { crashPoint }).catch((error: unknown) => error)
  }

  async function keep(place: ConnectionKey, baseGeneration: number, issuedAt: Date, token: string): Promise<string> {
    const { deps } = providers.refreshHarness
    const id = randomUUID()
    const credentials = { secret: { token }, expiresAt: null }
    const sealed = sealVersion(deps.sealer, place, id, baseGeneration, credentials)
    const from = { instanceId: place.instanceId, connectionId: place.id, generation: baseGeneration }
    await saveVersion(deps.database, from, id, { sealed, issuedAt, expiresAt: null, refreshAt: null })
    return id
  }

  const later = (place: ConnectionKey, seconds: number) =>
    providers.refreshHarness.read<Date>(place, `credentials_issued_at + make_interval(secs => ${seconds})`)

  it('is used, and no other version of it remains', async () => {
    const place = await providers.authorize('xero')
    expect(await providers.refreshHarness.open('xero', place, 1)).toMatchObject({ generation: 2 })
    expect(await providers.refreshHarness.countVersions(place)).toBe(0)
  })

  it('is requested by one at a time: nobody ends the lease of another', async () => {
    const place = await providers.authorize('xero')
    const { database } = providers.refreshHarness.deps
    const current = { instanceId: place.instanceId, connectionId: place.id, generation: 1 }
    const [holder, stranger] = [randomUUID(), randomUUID()]
    expect(await claimRefresh(database, current, holder, false)).toBe(true)
    await releaseRefresh(database, current, stranger, null)
    expect(await claimRefresh(database, current, stranger, false), 'after a stranger gave it back').toBe(false)
    await releaseRefresh(database, current, holder, null)
    expect(await claimRefresh(database, current, stranger, false), 'after its holder gave it back').toBe(true)
  })

  it('is used although its holder lost the lease, if the source issued it last', async () => {
    const place = await providers.authorize('xero')
    await providers.refreshHarness.open('xero', place, 1)
    await keep(place, 1, await later(place, 60), 'newest')
    await keep(place, 1, await later(place, 30), 'newer')
    expect(await reconcileVersions(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)).toBe('moved')
    const { credentials, generation } = await readCredentials(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)
    expect([generation, credentials.secret]).toEqual([3, { token: 'newest' }])
    expect(await providers.refreshHarness.countVersions(place)).toBe(0)
  })

  it('is shredded if the source has issued a newer one that is in use', async () => {
    const place = await providers.authorize('xero')
    await providers.refreshHarness.open('xero', place, 1)
    await keep(place, 1, await later(place, -1), 'older')
    expect(await reconcileVersions(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)).toBe('unchanged')
    expect((await readCredentials(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)).generation).toBe(2)
    expect(await providers.refreshHarness.countVersions(place)).toBe(0)
  })

  it('is ordered by what it was made from, whatever the clocks say', async () => {
    const place = await providers.authorize('xero')
    await keep(place, 1, await later(place, -3600), 'from a slow clock')
    expect(await reconcileVersions(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)).toBe('moved')
    expect(
      (await readCredentials(providers.refreshHarness.deps.database, providers.refreshHarness.deps, place)).credentials.secret,
    ).toEqual({ token: 'from a slow clock' })
  })

  it('does not replace what the owner authorized in the meantime', async () => {
    const { refreshHarness } = providers
    const place = await providers.authorize('xero')
    const authorizedAgain = `credentials_generation = 2, granted_generation = 2, refresh_owner = null, refresh_lease_until = null,
      credentials_issued_at = clock_timestamp() - interval '1 minute'`
    const before = await readCredentials(refreshHarness.deps.database, refreshHarness.deps, place)
    const sealed = refreshHarness.deps.sealer.seal(
      { instanceId: place.instanceId, table: 'connections', rowId: place.id, column: 'credentials', generation: 2 },
      Buffer.from(JSON.stringify({ ...before.credentials, secret: { token: 'of the new authorization' } })),
    )
    const outcome = await refreshWhile(place, async () => {
      await refreshHarness.write(place, `${authorizedAgain}, credentials = '\\x${Buffer.from(sealed).toString('hex')}'`)
    })
    expect(outcome).toMatchObject({ generation: 2, credentials: { secret: { token: 'of the new authorization' } } })
    expect(await refreshHarness.countVersions(place)).toBe(0)
  })

  it('is revoked at the source if the connection was ended in the meantime', async () => {
    const { refreshHarness } = providers
    const place = await providers.authorize('xero')
    const before = providers.xero.simulator.listRequests().length
    await refreshWhile(place, async () => {
      await shredCredentials(refreshHarness.deps.database, place.instanceId, [place.id])
      await refreshHarness.write(place, `status = ${Status.Disconnected}`)
    })
    const { rows } = await refreshHarness.deps.database.query<Job>(
      `delete from jobs where kind = 'revoke' returning id, instance_id as "instanceId", kind, key, payload, 1 as attempts`,
    )
    for (const job of rows) expect(await revoke(refreshHarness.deps, job)).toEqual({ done: true })
    const removals = providers.xero.simulator.listRequests().slice(before)
    expect(removals.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
    expect(await refreshHarness.countVersions(place)).toBe(0)
    expect(await refreshHarness.read(place, 'credentials')).toBeNull()
  })

  it('is stored as soon as the database accepts it again', async () => {
    const { refreshHarness } = providers
    const { database, log } = refreshHarness.deps
    const place = await providers.authorize('xero')
    const mended = Promise.withResolvers<unknown>()
    const warn = () => mended.resolve(database.query('alter table mislaid rename to credential_versions'))
    const crashPoint = async (name: CrashPoint) => {
      if (name === ANSWERED) await database.query('alter table credential_versions rename to mislaid')
    }
    expect(await refreshHarness.open('xero', place, 1, { crashPoint, log: { ...log, warn } })).toMatchObject({ generation: 2 })
    await mended.promise
  })

  it('can be opened in its own row only', async () => {
    const place = await providers.authorize('xero')
    const other = await providers.authorize('xero')
    await keep(place, 1, providers.refreshHarness.now(), 'mine')
    await providers.refreshHarness.deps.database.query('update credential_versions set connection_id = $2 where connection_id = $1', [
      place.id,
      other.id,
    ])
    await expect(reconcileVersions(providers.refreshHarness.deps.database, providers.refreshHarness.deps, other)).rejects.toThrow(SealError)
  })
})
