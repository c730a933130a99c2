import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBody } from '../../src/webhooks/verify.ts'
import { openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks, uploadStatement } from '../journey/http-walks.ts'
import { openReceiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import type { Service } from '../process/service.ts'
import { LOGIN } from './fill-deployment.ts'
import { type Load, startLoad } from './load.ts'
import { listPairs, PairedDeployment } from './version-pair.ts'

/** Syncs of each kind to complete in each phase. */
const SYNCS = 4
const BAKERY = '4620816365200000101'

describe.each(await listPairs())('$title on one database, under reads, syncs and deliveries', (pair) => {
  const deployment = openForTests(() => PairedDeployment.open(pair))
  const receiver = openForTests(openReceiver)
  let secret: string
  let loads: Load[] = []

  beforeAll(async () => {
    const older = await deployment.start('older')
    const client = await Client.logIn(older, LOGIN)
    secret = await client.subscribe('NormalizedData', receiver.url)
    loads = [startLoad(client, await connectBanks(client)), startLoad(client, await connectBooks(client))]
    use([older])
  })
  afterAll(async () => {
    await Promise.all(loads.map((load) => load.stop()))
  })

  const origin = () => `http://127.0.0.1:${deployment.port}`

  async function connectBanks(client: Client) {
    const { id: serviceId } = await client.service('Bank files')
    const companies: string[] = []
    for (const name of ['Nordic Bakery', 'Café du Port', 'Prairie Tools']) {
      const companyId = await client.addCompany(name)
      await uploadStatement(origin(), await client.link(companyId, serviceId))
      await client.connectionInStatus(companyId, [19])
      companies.push(companyId)
    }
    return { companies, serviceId }
  }

  /** With tokens that are refreshed. */
  async function connectBooks(client: Client) {
    const { id: serviceId } = await client.service('QuickBooks Online')
    const companyId = await client.addCompany('Scierie du Lac')
    await connectQuickbooks(origin(), await client.link(companyId, serviceId), { realmId: BAKERY })
    await client.connectionInStatus(companyId, [15, 19])
    return { companies: [companyId], serviceId, kind: 'accountancy' as const }
  }

  function use(services: readonly Service[]): void {
    for (const load of loads) load.use(services.map(({ baseUrl }) => baseUrl))
  }

  /** Both loads go on, and the books’ credentials are refreshed once. */
  async function syncs(): Promise<void> {
    deployment.books.simulator.fault('unauthorized')
    await Promise.all(loads.map((load) => load.syncs(SYNCS)))
  }

  async function stop(service: Service): Promise<void> {
    await Promise.all(loads.map((load) => load.settled()))
    expect(await deployment.stop(service)).toEqual({ code: 0, signal: null })
  }

  it('answer every request and lose no event: the newer one joins, the older one leaves and returns, the newer one leaves', {
    timeout: 240_000,
  }, async () => {
    await syncs()
    const [older] = deployment.started
    if (!older) throw new Error('nothing is running')

    const newer = await deployment.start('newer')
    use([older, newer])
    await syncs()

    use([newer])
    await stop(older)
    await syncs()

    const back = await deployment.start('older')
    use([newer, back])
    await syncs()

    use([back])
    await stop(newer)
    await syncs()

    await Promise.all(loads.map((load) => load.stop()))
    expect(loads.flatMap(({ faults }) => faults)).toEqual([])
    for (const load of loads) expect(load.reads()).toBeGreaterThan(5 * SYNCS)
    const applied = await deployment.query<{ name: string }>('select name from schema_migrations order by name')
    expect(applied.map(({ name }) => name).slice(-pair.migrations.length)).toEqual(pair.migrations)
    expect(deployment.faults()).toEqual([])
    await everyEventHasArrived()
  })

  async function everyEventHasArrived(): Promise<void> {
    const events = await deployment.query<{ id: string }>(
      `select e.body::json ->> 'Identifier' as id from events e join subscriptions s using (instance_id)
       where e.kind = 'NormalizedData' and e.created_at > s.created_at`,
    )
    expect(events.length).toBeGreaterThanOrEqual(5 * SYNCS)
    const known = () => new Set(receiver.arrivals.map(({ event }) => event.Identifier))
    await until('all events', () => (events.every(({ id }) => known().has(id)) ? true : null))
    for (const { body } of receiver.arrivals) expect(verifyBody(body, secret)).toBe(true)
  }
})
