import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Pull, SourceError } from '../../src/connectors/contract/contract.ts'
import { xeroConnector } from '../../src/connectors/xero/client.ts'
import { createEgress } from '../../src/egress/egress.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { isFault, Status } from '../../src/model/statuses.ts'
import { listAlarms } from '../../src/store/sources/source-alarms.ts'
import { refreshAtOf } from '../../src/sync/credentials/credentials-refresh.ts'
import type { SyncDeps } from '../../src/sync/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { toSources } from './providers.ts'
import type { Place } from './scene.ts'
import { openStreet, type Street } from './street.ts'

const MINUTES_MS = 60_000

let street: Street

beforeAll(async () => {
  street = await openStreet()
})

afterAll(async () => {
  await street?.close()
})

describe('a refresh that fails', () => {
  beforeEach(async () => {
    street.xero.simulator.clearFaults()
    street.scene.logged.splice(0)
    street.gate('xero').answers.splice(0)
    await street.scene.deps.database.query('delete from source_alarms')
  })

  async function sync(place: Place, deps: SyncDeps = street.scene.deps): Promise<Outcome> {
    const { instanceId, id } = place
    const payload = { connectionId: id, reason: 'schedule' }
    const job = { id, instanceId, kind: 'sync', key: `connection/${id}`, payload, attempts: 1 }
    return await syncHandlers(deps).sync(job, { isStopping: () => false })
  }

  /** An authorized connection whose token has run out. */
  async function expired(): Promise<Place> {
    const place = await street.authorize('xero')
    street.moveTime(31 * MINUTES_MS)
    return place
  }

  const failure = (kind: string) => expect.objectContaining({ kind })

  it('because the provider is down is not tried again by anybody until its time has come', async () => {
    const place = await expired()
    street.xero.simulator.fault('tokenUnavailable', 1)
    await expect(street.scene.open('xero', place)).rejects.toEqual(failure('unavailable'))
    await expect(street.scene.open('xero', place)).rejects.toEqual(failure('rateLimited'))
    expect(street.gate('xero').answers).toEqual([503])
    await street.scene.write(place, 'refresh_not_before = clock_timestamp()')
    expect(await street.scene.open('xero', place)).toMatchObject({ generation: 2 })
    expect(await street.scene.read(place, 'refresh_failures')).toBe(0)
  })

  it('because the provider is throttled waits at least as long as it says', async () => {
    const place = await expired()
    street.xero.simulator.fault('tokenThrottled', 1)
    await expect(street.scene.open('xero', place)).rejects.toEqual(failure('rateLimited'))
    expect(await street.scene.read(place, `refresh_not_before > clock_timestamp() + interval '25 seconds'`)).toBe(true)
  })

  it('leaves the status as it is', async () => {
    const place = await expired()
    street.xero.simulator.fault('tokenUnavailable', 1)
    expect(await sync(place)).toMatchObject({ done: false })
    expect(isFault(await street.scene.read(place, 'status'))).toBe(false)
  })

  it('costs nothing while the token is still good', async () => {
    const place = await street.authorize('xero')
    street.moveTime(26 * MINUTES_MS)
    street.xero.simulator.fault('tokenUnavailable', 1)
    expect(await street.scene.open('xero', place)).toMatchObject({ generation: 1 })
    expect(street.gate('xero').answers).toEqual([503])
  })

  it('with invalid_grant is tried once more before the owner is asked', async () => {
    const place = await expired()
    street.xero.simulator.fault('revoked', 1)
    expect(await sync(place)).toEqual({ done: true })
    expect(await street.scene.read(place, 'status')).toBe(Status.Deauthorized)
    expect(street.gate('xero').answers).toEqual([400, 400])
  })

  it('because the source refuses our keys alarms the operator once and stops the jobs of that source, not its connections', async () => {
    const [first, second] = [await street.authorize('xero'), await expired()]
    street.xero.simulator.fault('invalidClient', 1)
    expect(await sync(first)).toMatchObject({ done: false, isFailure: false })
    expect(await sync(second)).toMatchObject({ done: false, isFailure: false })
    expect(street.gate('xero').answers).toEqual([400])
    expect(street.scene.logged.filter((line) => line.startsWith('error'))).toHaveLength(1)
    for (const place of [first, second]) expect(isFault(await street.scene.read(place, 'status'))).toBe(false)
    expect(await listAlarms(street.scene.deps.database)).toEqual(['xero'])
  })

  it('for our keys is tried by one caller when the time has come, and a good answer ends the alarm', async () => {
    const place = await expired()
    street.xero.simulator.fault('invalidClient', 1)
    await sync(place)
    await street.scene.deps.database.query('update source_alarms set retry_at = clock_timestamp()')
    expect(await street.scene.open('xero', place)).toMatchObject({ generation: 2 })
    expect(await listAlarms(street.scene.deps.database)).toEqual([])
  })

  it('cannot be where keys go with every call; there a refused call alarms, and a good sync ends the alarm', async () => {
    const { deps } = street.scene
    const place = await street.authorize('xero')
    const { refreshCredentials: _never, ...connector } = xeroConnector
    let fetches = 0
    const pulls = connector.pulls.map((pull): Pull => {
      const fetch: Pull['fetch'] = async (session, cursor) => {
        fetches += 1
        if (fetches === 1) throw new SourceError('unavailable', 'wrong keys', { isClientRefused: true })
        return await pull.fetch(session, cursor)
      }
      return { ...pull, fetch }
    })
    const sources = new Map([...deps.sources].map(([key, source]) => [key, { ...source, load: async () => ({ ...connector, pulls }) }]))
    expect(await sync(place, { ...deps, sources })).toMatchObject({ done: false, isFailure: false })
    expect(await sync(place, { ...deps, sources })).toMatchObject({ done: false, isFailure: false })
    expect([fetches, await listAlarms(deps.database)]).toEqual([1, ['xero']])
    await deps.database.query('update source_alarms set retry_at = clock_timestamp()')
    expect(await sync(place, { ...deps, sources })).toEqual({ done: true })
    expect(await listAlarms(deps.database)).toEqual([])
  })

  it('for our keys does not hold back keys that were put right', async () => {
    const { scene } = street
    const place = await expired()
    const egress = createEgress({ allowPrivate: true })
    const hosts = { token: street.gate('xero').url, api: street.xero.url }
    const wrong = {
      ...scene.deps,
      sources: toSources({ xero: { app: { clientId: 'app', clientSecret: 'old' }, hosts } }, egress, scene.now),
    }
    expect(await sync(place, wrong)).toMatchObject({ done: false, isFailure: false })
    expect(await scene.open('xero', place)).toMatchObject({ generation: 2 })
    await egress.close()
  })
})

describe('a refresh ahead', () => {
  it('renews a token before it ends', async () => {
    const place = await street.authorize('xero')
    street.moveTime(26 * MINUTES_MS)
    expect(await street.scene.open('xero', place)).toMatchObject({ generation: 2 })
  })

  it('does not make anybody wait for another process', async () => {
    const place = await street.authorize('xero')
    street.moveTime(26 * MINUTES_MS)
    await street.scene.write(place, `refresh_owner = gen_random_uuid(), refresh_lease_until = clock_timestamp() + interval '60 seconds'`)
    expect(await street.scene.open('xero', place)).toMatchObject({ generation: 1 })
  })

  it('is spread around four fifths of a life', () => {
    const now = new Date(0)
    const share = (random: number) => refreshAtOf(now, new Date(1_000_000).toISOString(), random)?.getTime()
    expect([share(0), share(0.5), share(1)]).toEqual([720_000, 800_000, 880_000])
  })
})
