import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { databaseForTests, folderForTests, openForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { openReceiver } from '../journey/receiver.ts'
import { until } from './deadline.ts'
import { fakeTime, fakeTimeNote, lacksFakeTime } from './fake-time.ts'
import { type Service, startService } from './service.ts'

/** `developer@example.com` is the first user of a deployment without SEED_EMAIL. */
const LOGIN = { email: 'developer@example.com', password: 'harbour-violet-teapot-91' }
const PRODUCTION = { ENVIRONMENT: 'production', SEED_PASSWORD: LOGIN.password, ALLOW_PRIVATE_ADDRESSES: 'true' }
const HELD = 300

const folder = folderForTests()
const receiver = openForTests(openReceiver)
const errorsOf = (service: Service) =>
  service
    .output()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line))

/** A company whose statement was read and whose event has arrived. */
async function readStatement(service: Service, client: Client, name: string): Promise<{ companyId: string; serviceId: string }> {
  const companyId = await client.addCompany(name)
  const { id: serviceId } = await client.service('Bank files')
  await uploadStatement(service.baseUrl, await client.link(companyId, serviceId))
  await client.connectionInStatus(companyId, [19])
  await receiver.first(`of ${name}`, ({ Data }) => Data.CompanyId === companyId, 40_000)
  return { companyId, serviceId }
}

describe('a process on a database of its own', () => {
  const test = databaseForTests()

  it('that may open 256 files says so, refuses what is too much, and recovers', async () => {
    const environment = { ...PRODUCTION, DATABASE_URL: test.url }
    const service = await startService({ dataDir: folder.path, environment, openFiles: 256 })
    expect(service.output()).toMatch(/"fileLimit":256,"maxConnections":128,.*MAX_CONNECTIONS is lowered/)
    const client = await Client.logIn(service, LOGIN)
    await client.subscribe('NormalizedData', receiver.url)
    const port = Number(new URL(service.baseUrl).port)
    const held = await Promise.all(Array.from({ length: HELD }, () => hold(port)))
    const closed = () => held.filter((socket) => socket.destroyed).length
    await until('the others are closed', () => (closed() >= HELD - 128 ? true : null))
    for (const socket of held) socket.destroy()
    await until('it answers again', async () =>
      (await fetch(`${service.baseUrl}/readyz`).catch(() => null))?.status === 200 ? true : null,
    )
    await readStatement(service, client, 'Few Files')
    expect(errorsOf(service)).toEqual([])
    expect(service.output()).not.toContain('EMFILE')
    expect(await service.stop()).toEqual({ code: 0, signal: null })
  }, 90_000)

  it.skipIf(lacksFakeTime).each(['+1d', '-1d'])(
    `whose clock is a day off (%s) says so, and signs in, reads a statement and delivers${fakeTimeNote}`,
    async (clock) => {
      const environment = { ...PRODUCTION, DATABASE_URL: test.url, ...fakeTime(clock) }
      const service = await startService({ dataDir: folder.path, environment })
      expect(service.output()).toMatch(/"seconds":-?86[34]\d\d,.*the clock of this machine differs from the database’s/)
      await readStatement(service, await Client.logIn(service, LOGIN), `Clock ${clock}`)
      expect(errorsOf(service)).toEqual([])
      expect(await service.stop()).toEqual({ code: 0, signal: null })
    },
    90_000,
  )
})

describe('a process whose database goes away in the midst of work', () => {
  let postgres: EmbeddedPostgres
  let service: Service
  const startPostgres = () => startEmbeddedPostgres({ dataDir: `${folder.path}/lost`, settings: { fsync: 'off' } })
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await service?.kill()
    await postgres?.stop()
  })

  it('answers 503 with the reason, and afterwards completes all that it had accepted', async () => {
    service = await startService({ dataDir: `${folder.path}/lost`, environment: { ...PRODUCTION, DATABASE_URL: postgres.url } })
    const client = await Client.logIn(service, LOGIN)
    await client.subscribe('NormalizedData', receiver.url)
    const { companyId, serviceId } = await readStatement(service, client, 'Before')
    // The receiver keeps a delivery open, and a refresh has just been accepted.
    receiver.hold()
    const before = (await client.runs(companyId, serviceId)).length
    expect((await client.refresh(companyId, serviceId)).status).toBe(202)
    await postgres.stop()
    receiver.release()
    const refused = await client.ask('/normalized-data/company', { method: 'POST', body: { name: 'Meanwhile', country: 'CA' } })
    expect([refused.status, JSON.parse(refused.body).detail]).toEqual([503, expect.stringContaining('database')])
    expect((await fetch(`${service.baseUrl}/livez`)).status).toBe(200)
    await until('it waits', async () => ((await fetch(`${service.baseUrl}/readyz`)).status === 503 ? true : null))
    postgres = await startPostgres()
    await until('it is back', async () => ((await fetch(`${service.baseUrl}/readyz`)).status === 200 ? true : null), 40_000)
    const ended = async () => {
      const runs = await client.runs(companyId, serviceId)
      return runs.length > before && runs.every(({ state }) => state === 'published' || state === 'unchanged') ? true : null
    }
    await until('the accepted refresh', ended, 90_000)
    await readStatement(service, client, 'After')
    expect((await client.companies()).map(({ name }) => name).filter((name) => name === 'Meanwhile')).toEqual([])
  }, 180_000)
})

/** A client that connects and then says nothing. */
async function hold(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}
