import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { verifyBody } from '../../src/webhooks/verify.ts'
import { Client } from '../journey/client.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'
import { type Load, startLoad } from './load.ts'
import { writeNextVersion } from './next-version.ts'

/** Syncs to complete in each phase. */
const SYNCS = 12

describe('two versions on one database, under reads, syncs and deliveries', () => {
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  let postgres: EmbeddedPostgres
  let receiver: Receiver
  let secret: string
  let load: Load
  const running = new Set<Service>()
  let oldPort: number

  beforeAll(async () => {
    folder = await openTestFolder()
    await writeNextVersion(join(folder.path, 'next'))
    postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'database'), settings: { fsync: 'off' } })
    oldPort = await findFreePort()
    receiver = await openReceiver()
    const old = await start('old')
    const client = await Client.logIn(old)
    secret = await client.subscribe('NormalizedData', receiver.url)
    const { id: serviceId } = await client.service('Bank files')
    const companies = await Promise.all(
      ['Nordic Bakery', 'Café du Port', 'Prairie Tools'].map(async (name) => {
        const companyId = await client.addCompany(name)
        await uploadStatement(old.baseUrl, await client.link(companyId, serviceId))
        await client.connectionInStatus(companyId, [19])
        return companyId
      }),
    )
    load = startLoad(client, { companies, serviceId })
    load.use([old.baseUrl])
  })
  afterAll(async () => {
    await load?.stop()
    await Promise.all([...running].map((service) => service.kill()))
    await receiver?.close()
    await postgres?.stop()
    await folder?.remove()
  })

  /** Each version has a separate data directory with the same keys, as on two machines. */
  async function start(version: 'old' | 'next'): Promise<Service> {
    const dataDir = join(folder.path, version === 'old' ? 'data' : 'data-next')
    if (version === 'next') await cp(join(folder.path, 'data', 'keys'), join(dataDir, 'keys'), { recursive: true })
    const service = await startService({
      dataDir,
      // One public address, as behind a load balancer.
      environment: { DATABASE_URL: postgres.url, BASE_URL: `http://127.0.0.1:${oldPort}` },
      ...(version === 'old' ? { port: oldPort } : { checkout: join(folder.path, 'next') }),
    })
    running.add(service)
    return service
  }

  async function stop(service: Service): Promise<void> {
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    running.delete(service)
  }

  it('answer every request and lose no event: the newer one joins, the older one leaves and returns, the newer one leaves', {
    timeout: 240_000,
  }, async () => {
    await load.syncs(SYNCS)
    const [old] = [...running]
    if (!old) throw new Error('nothing is running')

    const next = await start('next')
    load.use([old.baseUrl, next.baseUrl])
    await load.syncs(SYNCS)

    load.use([next.baseUrl])
    await load.settled()
    await stop(old)
    await load.syncs(SYNCS)

    const back = await start('old')
    load.use([next.baseUrl, back.baseUrl])
    await load.syncs(SYNCS)

    load.use([back.baseUrl])
    await load.settled()
    await stop(next)
    await load.syncs(SYNCS)

    await load.stop()
    expect(load.faults).toEqual([])
    expect(load.reads()).toBeGreaterThan(5 * SYNCS)
    expect(await listNewMigrations()).toEqual(['990-next.sql', '991-next-index.sql'])
    await everyEventHasArrived()
  })

  async function listNewMigrations(): Promise<string[]> {
    const database = openDatabase(postgres.url, { max: 1 })
    const { rows } = await database.query<{ name: string }>(`select name from schema_migrations where name like '99%' order by name`)
    await database.end()
    return rows.map(({ name }) => name)
  }

  async function everyEventHasArrived(): Promise<void> {
    const database = openDatabase(postgres.url, { max: 1 })
    const { rows } = await database.query<{ id: string }>(
      `select e.body::json ->> 'Identifier' as id from events e join subscriptions s using (instance_id)
       where e.kind = 'NormalizedData' and e.created_at > s.created_at`,
    )
    await database.end()
    expect(rows.length).toBeGreaterThanOrEqual(5 * SYNCS)
    const known = () => new Set(receiver.arrivals.map(({ event }) => event.Identifier))
    await until('all events', () => (rows.every(({ id }) => known().has(id)) ? true : null))
    for (const { body } of receiver.arrivals) expect(verifyBody(body, secret)).toBe(true)
  }
})
