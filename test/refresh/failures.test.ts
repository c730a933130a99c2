import { beforeEach, describe, expect, it } from 'vitest'
import { type Pull, SourceError } from '../../src/connectors/contract/contract.ts'
import { xeroConnector } from '../../src/connectors/xero/client.ts'
import { createEgress } from '../../src/egress/egress.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { isFault, Status } from '../../src/model/statuses.ts'
import { listAlarms } from '../../src/store/sources/source-alarms.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { refreshAtOf } from '../../src/sync/credentials/credentials-refresh.ts'
import { runSyncJob } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import type { ConnectionKey } from './harness.ts'
import { toSources } from './providers.ts'
import { openProvidersHarness } from './providers-harness.ts'

const MINUTES_MS = 60_000

const providers = openForTests(openProvidersHarness)

describe('a refresh that fails', () => {
  beforeEach(async () => {
    providers.xero.simulator.clearFaults()
    providers.refreshHarness.logged.splice(0)
    providers.proxyOf('xero').answers.splice(0)
    await providers.refreshHarness.deps.database.query('delete from source_alarms')
  })

  async function sync(place: ConnectionKey, deps: SyncDeps = providers.refreshHarness.deps): Promise<Outcome> {
    const { instanceId, id } = place
    return await runSyncJob(deps, { instanceId, connectionId: id })
  }

  /** An authorized connection with an expired token. */
  async function expired(): Promise<ConnectionKey> {
    const place = await providers.authorize('xero')
    providers.moveTime(31 * MINUTES_MS)
    return place
  }

  const failure = (kind: string) => expect.objectContaining({ kind })

  it('because the provider is down is retried by nobody until its time has come', async () => {
    const place = await expired()
    providers.xero.simulator.fault('tokenUnavailable', 1)
    await expect(providers.refreshHarness.open('xero', place)).rejects.toEqual(failure('unavailable'))
    await expect(providers.refreshHarness.open('xero', place)).rejects.toEqual(failure('rateLimited'))
    expect(providers.proxyOf('xero').answers).toEqual([503])
    await providers.refreshHarness.write(place, 'refresh_not_before = clock_timestamp()')
    expect(await providers.refreshHarness.open('xero', place)).toMatchObject({ generation: 2 })
    expect(await providers.refreshHarness.read(place, 'refresh_failures')).toBe(0)
  })

  it('because the provider is throttling waits at least as long as it says', async () => {
    const place = await expired()
    providers.xero.simulator.fault('tokenThrottled', 1)
    await expect(providers.refreshHarness.open('xero', place)).rejects.toEqual(failure('rateLimited'))
    expect(await providers.refreshHarness.read(place, `refresh_not_before > clock_timestamp() + interval '25 seconds'`)).toBe(true)
  })

  it('leaves the status unchanged', async () => {
    const place = await expired()
    providers.xero.simulator.fault('tokenUnavailable', 1)
    expect(await sync(place)).toMatchObject({ done: false })
    expect(isFault(await providers.refreshHarness.read(place, 'status'))).toBe(false)
  })

  it('costs nothing while the token is still valid', async () => {
    const place = await providers.authorize('xero')
    providers.moveTime(26 * MINUTES_MS)
    providers.xero.simulator.fault('tokenUnavailable', 1)
    expect(await providers.refreshHarness.open('xero', place)).toMatchObject({ generation: 1 })
    expect(providers.proxyOf('xero').answers).toEqual([503])
  })

  it('with invalid_grant is retried once before the owner is asked', async () => {
    const place = await expired()
    providers.xero.simulator.fault('revoked', 1)
    expect(await sync(place)).toEqual({ done: true })
    expect(await providers.refreshHarness.read(place, 'status')).toBe(Status.Deauthorized)
    expect(providers.proxyOf('xero').answers).toEqual([400, 400])
  })

  it('because the source refuses our keys alarms the operator once and stops the jobs of that source, not its connections', async () => {
    const [first, second] = [await providers.authorize('xero'), await expired()]
    providers.xero.simulator.fault('invalidClient', 1)
    expect(await sync(first)).toMatchObject({ done: false, isFailure: false })
    expect(await sync(second)).toMatchObject({ done: false, isFailure: false })
    expect(providers.proxyOf('xero').answers).toEqual([400])
    expect(providers.refreshHarness.logged.filter((line) => line.startsWith('error'))).toHaveLength(1)
    for (const place of [first, second]) expect(isFault(await providers.refreshHarness.read(place, 'status'))).toBe(false)
    expect(await listAlarms(providers.refreshHarness.deps.database)).toEqual(['xero'])
  })

  it('because a simulator refuses its keys warns of the simulator, not of sources.json', async () => {
    const { deps, logged, now } = providers.refreshHarness
    const egress = createEgress({ allowPrivate: true })
    const hosts = { token: providers.proxyOf('xero').url, api: providers.xero.url }
    const simulator = { app: { clientId: 'app', clientSecret: 'secret' }, hosts }
    const sandbox = { ...deps, sources: toSources({}, egress, now, { xero: simulator }) }
    const [first, second] = [await expired(), await expired()]
    providers.xero.simulator.fault('invalidClient', 1)
    await sync(first, sandbox)
    expect(logged.filter((line) => line.includes('keys'))).toEqual([expect.stringMatching(/^warn.*the simulator refuses its keys/)])
    expect(await sync(second, sandbox)).toMatchObject({ reason: expect.stringContaining('refuses the keys of its simulator') })
    await egress.close()
  })

  it('because of our keys is retried by one caller when the time has come, and a success ends the alarm', async () => {
    const place = await expired()
    providers.xero.simulator.fault('invalidClient', 1)
    await sync(place)
    await providers.refreshHarness.deps.database.query('update source_alarms set retry_at = clock_timestamp()')
    expect(await providers.refreshHarness.open('xero', place)).toMatchObject({ generation: 2 })
    expect(await listAlarms(providers.refreshHarness.deps.database)).toEqual([])
  })

  it('does not exist if keys are sent with every call; there a refused call alarms, and a successful sync ends the alarm', async () => {
    const { deps } = providers.refreshHarness
    const place = await providers.authorize('xero')
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

  it('because of our keys does not delay keys that were corrected', async () => {
    const { refreshHarness } = providers
    const place = await expired()
    const egress = createEgress({ allowPrivate: true })
    const hosts = { token: providers.proxyOf('xero').url, api: providers.xero.url }
    const wrong = {
      ...refreshHarness.deps,
      sources: toSources({ xero: { app: { clientId: 'app', clientSecret: 'old' }, hosts } }, egress, refreshHarness.now),
    }
    expect(await sync(place, wrong)).toMatchObject({ done: false, isFailure: false })
    expect(await refreshHarness.open('xero', place)).toMatchObject({ generation: 2 })
    await egress.close()
  })
})

describe('an early refresh', () => {
  it('renews a token before it expires', async () => {
    const place = await providers.authorize('xero')
    providers.moveTime(26 * MINUTES_MS)
    expect(await providers.refreshHarness.open('xero', place)).toMatchObject({ generation: 2 })
  })

  it('makes nobody wait for another process', async () => {
    const place = await providers.authorize('xero')
    providers.moveTime(26 * MINUTES_MS)
    await providers.refreshHarness.write(
      place,
      `refresh_owner = gen_random_uuid(), refresh_lease_until = clock_timestamp() + interval '60 seconds'`,
    )
    expect(await providers.refreshHarness.open('xero', place)).toMatchObject({ generation: 1 })
  })

  it('is spread around four fifths of a lifetime', () => {
    const now = new Date(0)
    const share = (random: number) => refreshAtOf(now, new Date(1_000_000).toISOString(), random)?.getTime()
    expect([share(0), share(0.5), share(1)]).toEqual([720_000, 800_000, 880_000])
  })
})
