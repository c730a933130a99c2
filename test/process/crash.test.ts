import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { folderForTests } from '../harness/for-tests.ts'
import { Client, type ListedConnection } from '../journey/client.ts'
import { connectQuickbooks, finishAtPlaid, uploadStatement } from '../journey/http-walks.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { until } from './deadline.ts'
import { findFreePort, interruptStart, openTestFolder, type Service, startService } from './service.ts'

const BAKERY = '4620816365200000101'
/** The simulator's company with many accounts, so that a sync takes a while. */
const GIANT = { realmId: '9999', login: 'load' }
const GIANT_ACCOUNTS = 20_000
const DONE = [15, 19]

interface Resting {
  companyId: string
  connection: ListedConnection
  /** Address of its accounts, and the response before the kill. */
  path: string
  body: string
}

describe('kill -9 during a sync and a delivery, and a restart', () => {
  const folder = folderForTests()
  let port: number
  let service: Service
  let client: Client
  let receiver: Receiver
  let unusedLink: string
  /** Idle connections before the kill, by source. */
  const resting = new Map<string, Resting>()
  let giant: { companyId: string; serviceId: string }
  let interrupted: { id: string; pages: number }
  let heldIdentifier: string
  let companiesBefore: string
  let subscriptionsBefore: string

  beforeAll(async () => {
    port = await findFreePort()
    receiver = await openReceiver()
    service = await startService({ dataDir: folder.path, port })
    client = await Client.logIn(service)
    await client.subscribe('NormalizedData', receiver.url)

    const names = { files: 'Bank files', books: 'QuickBooks Online', banks: 'Plaid' }
    const ids = {
      files: (await client.service(names.files)).id,
      books: (await client.service(names.books)).id,
      banks: (await client.service(names.banks)).id,
    }
    const { baseUrl } = service
    await rest('files', 'banking', async (companyId) => await uploadStatement(baseUrl, await client.link(companyId, ids.files)))
    await rest('books', 'accountancy', async (companyId) => {
      await connectQuickbooks(baseUrl, await client.link(companyId, ids.books), { realmId: BAKERY })
    })
    await until('the directory of banks', async () => {
      const { body } = await client.ask(`/normalized-data/services/${ids.banks}/institutions?search=caisse`)
      return body.includes('aisse') ? true : null
    })
    await rest('banks', 'banking', async (companyId) => {
      const { owner, back } = await finishAtPlaid(baseUrl, await client.link(companyId, ids.banks), 'caisse')
      await owner.get(back)
    })

    const giantCompany = await client.addCompany('Giant Holdings')
    giant = { companyId: giantCompany, serviceId: ids.books }
    unusedLink = await client.link(giantCompany, ids.files)
    companiesBefore = (await client.ask('/normalized-data/companies')).body
    subscriptionsBefore = (await client.ask('/webhooks/subscriptions')).body

    receiver.hold()
    const known = receiver.arrivals.length
    await client.refresh(restingOf('files').companyId, ids.files)
    heldIdentifier = (await until('an event on its way', () => receiver.arrivals[known] ?? null)).event.Identifier
    await connectQuickbooks(baseUrl, await client.link(giantCompany, ids.books), GIANT)
    interrupted = await until('a sync that is under way', async () => {
      const [run] = await client.runs(giantCompany, ids.books)
      return run && run.pages >= 2 ? run : null
    })
    await service.kill()
    receiver.release()
    service = await startService({ dataDir: folder.path, port })
  })
  afterAll(async () => {
    await service?.stop()
    await receiver?.close()
  })

  /** Connects a new company and waits until its data is published. */
  async function rest(name: string, segment: string, connect: (companyId: string) => Promise<unknown>): Promise<void> {
    const companyId = await client.addCompany(`Boulangerie ${name}`)
    await connect(companyId)
    const connection = await client.connectionInStatus(companyId, DONE)
    await receiver.first('of a first sync', ({ Data }) => Data.CompanyId === companyId)
    const path = `/normalized-data/${companyId}/${segment}/accounts/${connection.serviceId}`
    const { status, body } = await client.ask(path)
    if (status !== 200) throw new Error(`${name}: ${status} ${body}`)
    resting.set(name, { companyId, connection, path, body })
  }

  function restingOf(name: string): Resting {
    const found = resting.get(name)
    if (!found) throw new Error(`${name} was not connected`)
    return found
  }

  it('lose no company, no subscription and no session', async () => {
    expect((await client.ask('/normalized-data/companies')).body).toBe(companiesBefore)
    expect((await client.ask('/webhooks/subscriptions')).body).toBe(subscriptionsBefore)
  })

  it('leave published data unchanged, to the byte', async () => {
    for (const { path, body } of resting.values()) expect((await client.ask(path)).body).toBe(body)
  })

  it('leave an unused link valid', async () => {
    expect((await fetch(unusedLink, { redirect: 'manual' })).headers.get('location')).toBe('/connect/consent')
  })

  it('resume the interrupted sync after its last page, and finish it', async () => {
    await client.connectionInStatus(giant.companyId, DONE, 40_000)
    const runs = await client.runs(giant.companyId, giant.serviceId)
    expect(runs.map(({ id, state }) => [id, state])).toEqual([[interrupted.id, 'published']])
    expect(interrupted.pages).toBeLessThan(20)
    expect(runs[0]?.pages).toBeGreaterThan(20)
    const { total } = await client.ask(`/normalized-data/${giant.companyId}/accountancy/accounts/${giant.serviceId}`)
    expect(total).toBe(GIANT_ACCOUNTS)
  })

  it('send the event of the interrupted sync once, or more often under one id', async () => {
    await receiver.first('of the interrupted sync', ({ Data }) => Data.CompanyId === giant.companyId)
    const ids = receiver.arrivals.filter(({ event }) => event.Data.CompanyId === giant.companyId).map(({ event }) => event.Identifier)
    expect(new Set(ids).size).toBe(1)
  })

  it('send the event whose response was cut off again, under its id and with its body', async () => {
    const same = await until('the event once more', () => {
      const found = receiver.arrivals.filter(({ event }) => event.Identifier === heldIdentifier)
      return found.length >= 2 ? found : null
    })
    expect(new Set(same.map(({ body }) => body)).size).toBe(1)
    expect(new Set(same.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const { body } = await client.ask('/webhooks/events?Limit=500')
    expect(body.split(heldIdentifier)).toHaveLength(2)
  })

  it.each(['files', 'books', 'banks'])('can refresh what was connected before: %s', async (name) => {
    const { companyId, connection, path, body } = restingOf(name)
    const before = (await client.runs(companyId, connection.serviceId)).map(({ id }) => id)
    expect((await client.refresh(companyId, connection.serviceId)).status).toBe(202)
    const fresh = await until('a finished run', async () => {
      const run = (await client.runs(companyId, connection.serviceId)).find(({ id }) => !before.includes(id))
      return run && run.state !== 'running' ? run : null
    })
    expect(['published', 'unchanged']).toContain(fresh.state)
    if (fresh.state === 'unchanged') expect((await client.ask(path)).body).toBe(body)
    expect(DONE).toContain((await client.connections(companyId))[0]?.statusCode)
  })
})

describe('an interrupted first start', () => {
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  /** Its PostgreSQL runs, and nobody is there yet: an earlier start may have left a migrated cluster to copy. */
  const at = () => existsSync(join(folder.path, 'postgres', 'cluster', 'postmaster.pid'))

  beforeEach(async () => {
    folder = await openTestFolder()
  })
  afterEach(async () => await folder.remove())

  it('by SIGTERM ends with status 0 and stops its PostgreSQL', async () => {
    const environment = { DATA_DIR: folder.path, PORT: String(await findFreePort()) }
    expect(await interruptStart(environment, { at, signal: 'SIGTERM' })).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(existsSync(join(folder.path, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false)
  })

  it('by kill -9 is completed by the next', async () => {
    const environment = { DATA_DIR: folder.path, PORT: String(await findFreePort()) }
    expect((await interruptStart(environment, { at, signal: 'SIGKILL' })).signal).toBe('SIGKILL')
    const service = await startService({ dataDir: folder.path })
    const client = await Client.logIn(service)
    const [first] = await client.companies()
    const { id } = await client.service('Bank files')
    expect((await client.ask(`/normalized-data/${first?.id}/banking/accounts/${id}`)).status).toBe(200)
    await service.stop()
  })
})
