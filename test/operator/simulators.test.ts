import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveOldState, type Sandbox, startSandbox } from '../../simulators/sandbox.ts'
import { nameOfClient } from '../../src/connectors/contract/rate-limiter.ts'
import { connectorsWith } from '../../src/connectors/registry.ts'
import { clientOf, createSources, type Source, type Sources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { saveInstitutions } from '../../src/store/sources/institutions.ts'
import { findService, listServices } from '../../src/sync/sources/catalogue.ts'
import { hookOwnerOf } from '../../src/sync/sources/source-keys.ts'
import { findTenantSource, toSharedSource } from '../../src/sync/sources/tenant-sources.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'
import { findFreePort } from '../process/service.ts'

const egress = createEgress({ allowPrivate: true })
const erased = new Set<string>()
const folder = folderForTests()
const api = openForTests(testApi)
let sandbox: Sandbox
let sources: Sources
let ours: string
let theirs: string
let live: string

beforeAll(async () => {
  const isTest = async (id: string) => !erased.has(id) && [ours, theirs].includes(id)
  sandbox = await startSandbox({ folder: folder.path, firstPort: await findFreePort(), isExact: false, isTest, onError: expect.fail })
  sources = createSources(connectorsWith(null, true), {
    settings: { stripe: { app: { publishableKey: 'pk_live_1', secretKey: 'sk_live_1' } } },
    simulators: sandbox.settings,
    createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => new Date(), allowPrivate: true }),
  })
  Object.assign(api.deps.sync, { sources })
  ours = await add('test')
  theirs = await add('test')
  live = await add('live')
})
afterAll(async () => {
  await sandbox.close()
  await egress.close()
})

async function add(kind: 'test' | 'live'): Promise<string> {
  const id = randomUUID()
  await createInstance(api.deps.database, { id, name: 'Maple Lending', kind })
  return id
}

async function at(instanceId: string, key: string): Promise<Source> {
  const source = await findTenantSource(api.deps.database, sources, instanceId, key)
  if (!source) throw new Error(`no ${key}`)
  return source
}

/** Status of a token request at the instance's simulator of QuickBooks. */
async function askToken(instanceId: string, address?: string): Promise<number> {
  const { kit } = await at(instanceId, 'quickbooks')
  const credentials = Buffer.from(`${kit.app.clientId}:${kit.app.clientSecret}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' }
  const url = `${address ?? kit.hosts.token}/oauth2/v1/tokens/bearer`
  return (await kit.http({ method: 'POST', url, headers, body: 'grant_type=refresh_token&refresh_token=none' })).status
}

const root = () => sandbox.settings.quickbooks?.servedAt ?? ''

describe('the simulators of a test instance', () => {
  it('have faults and a clock of their own', async () => {
    await sandbox.controls.fault(ours, 'quickbooks', 'invalidClient', 1)
    await sandbox.controls.moveClock(ours, 'quickbooks', 3_600_000)
    expect(await askToken(theirs)).toBe(400)
    expect(await askToken(ours)).toBe(401)
    const states = async (id: string) => (await sandbox.controls.list(id)).find(({ key }) => key === 'quickbooks')
    expect(await states(ours)).toMatchObject({ clockMovedMs: 3_600_000, armed: [{ name: 'invalidClient' }] })
    expect(await states(theirs)).toMatchObject({ clockMovedMs: 0, armed: [] })
    await sandbox.controls.clearFaults(ours, 'quickbooks')
  })

  it('answer at whatever address of a simulator is typed, and no others do', async () => {
    for (const typed of [root(), `${root()}/${theirs}`, `${root()}/${randomUUID()}`]) {
      await sandbox.controls.fault(ours, 'quickbooks', 'invalidClient', 1)
      await sandbox.controls.fault(theirs, 'quickbooks', 'invalidClient', 1)
      expect(await askToken(ours, typed), typed).toBe(401)
      expect(await askToken(ours, typed), typed).toBe(400)
      expect(await askToken(theirs)).toBe(401)
    }
  })

  it('have limits, pauses, breakers and webhooks of their own', async () => {
    const [one, other] = [await at(ours, 'plaid'), await at(theirs, 'plaid')]
    expect([nameOfClient(clientOf(one)), nameOfClient(clientOf(other))]).toEqual([`plaid#${ours}`, `plaid#${theirs}`])
    expect([hookOwnerOf(one, ours), hookOwnerOf(await at(live, 'plaid'), live)]).toEqual([ours, undefined])
    const own = {
      owner: { instanceId: ours, id: randomUUID(), generation: 0 },
      app: 'hash',
      callback: 'own' as const,
      values: { clientId: 'a', secret: 'b' },
    }
    expect(nameOfClient(clientOf(one.withKeys(own)))).toBe(`plaid#${ours}/hash`)
    // Keys of the operator make a source real for everybody.
    expect(nameOfClient(clientOf(await at(ours, 'stripe')))).toBe('stripe')
  })

  it('exist only below the id of a test instance', async () => {
    // By another name of this machine, a live instance would reach them.
    const byName = root().replace('127.0.0.1', 'localhost')
    const others = [`${root()}/`, `${root()}/${live}/x`, `${root()}/${randomUUID()}/x`, `${root()}/${ours}x/`, `${byName}/${ours}/x`]
    const said = async (address: string) => await (await fetch(address)).text()
    const NONE = 'no test instance has a simulator at this address'
    expect(await Promise.all(others.map(said))).toEqual(others.map(() => NONE))
    expect(await said(`${root()}/${ours}/x`)).not.toBe(NONE)
  })

  it('keep their state over a restart, give it to the export without tokens, and go with the instance', async () => {
    await sandbox.controls.moveClock(theirs, 'xero', 60_000)
    expect(await sandbox.controls.readStates(theirs)).toContainEqual({ key: 'xero', state: { clockMs: 60_000, edits: {} } })
    // Not ours to remove.
    await mkdir(join(folder.path, 'notes'))
    erased.add(theirs)
    await sandbox.controls.removeErased()
    expect((await readdir(folder.path)).filter((name) => name === theirs || name === 'notes')).toEqual(['notes'])
    expect((await fetch(`${root()}/${theirs}/x`)).status).toBe(404)
    erased.delete(theirs)
    expect(await sandbox.controls.readStates(theirs)).toEqual([])
  })

  it('take over the state of a release that had one simulator for all', async () => {
    const old = await mkdtemp(join(tmpdir(), 'countinghouse-sandbox-'))
    await writeFile(join(old, 'xero.json'), '{}')
    await moveOldState(old, ours)
    await moveOldState(old, theirs)
    expect([await readdir(old), await readdir(join(old, ours))]).toEqual([[ours], ['xero.json']])
    await rm(old, { recursive: true })
  })
})

describe('a live instance in a sandbox', () => {
  it('has no simulator and no fictional bank in its catalogue', async () => {
    const services = await listServices(api.deps.database, sources, live)
    expect(services.filter(({ environment }) => environment === 'sandbox')).toEqual([])
    expect(services.filter(({ source }) => source.example !== null || source.description.isExample)).toEqual([])
    const fictional = connectorsWith(null, true).filter(({ isExample }) => isExample)
    expect(fictional.length).toBeGreaterThan(2)
    for (const { key } of fictional) {
      expect(await findService(api.deps.database, sources, live, toServiceId(key))).toBeNull()
      expect(await findService(api.deps.database, sources, ours, toServiceId(key))).not.toBeNull()
    }
    expect(services.find(({ source }) => source.description.key === 'stripe')?.isEnabled).toBe(true)
  })

  it('reaches no simulator, whatever address is typed', async () => {
    const { kit } = await at(live, 'erpnext')
    await expect(kit.http({ url: `${root()}/${ours}/` })).rejects.toThrow('simulators are for test instances only')
    expect(Object.values((await at(live, 'quickbooks')).kit.hosts).filter((url) => url.includes('127.0.0.1'))).toEqual([])
  })

  it('finds no simulated bank, gets no link to a simulator, and sees no settings of one', async () => {
    const { key } = (await at(ours, 'plaid')).description
    const entry = { id: 'ins_1', name: 'Simulated Bank', countries: ['CA'], routingNumbers: [], url: '' }
    await saveInstitutions(api.deps.database, toSharedSource(await at(ours, key)).directory, new Date(), [entry])
    const headers = await bearerOf(api, (await api.addUser({ instanceId: live })).email)
    const get = async (url: string) => await api.app.inject({ url: `/admin/api/v1${url}`, headers })
    const service = toServiceId(key)
    const search = await get(`/normalized-data/services/${service}/institutions?search=simulated`)
    expect([search.statusCode, search.body.includes(entry.name)]).toEqual([409, false])
    expect(search.json<{ Message: string }>().Message).toBe('This service is not enabled here: its keys are not set.')
    const testHeaders = await bearerOf(api, (await api.addUser({ instanceId: ours })).email)
    const url = `/admin/api/v1/normalized-data/services/${service}/institutions?search=simulated`
    expect((await api.app.inject({ url, headers: testHeaders })).json<{ count: number }>().count).toBe(1)
    const companyId = await addCompany(api.deps.database, live)
    expect((await get(`/normalized-data/company/${companyId}/service/${service}/link`)).statusCode).toBeGreaterThanOrEqual(400)
    const listed = (await get('/sources')).json<{ environment: string; keysFrom: string }[]>()
    expect(listed.filter(({ environment, keysFrom }) => environment === 'sandbox' || keysFrom === 'simulator')).toEqual([])
  })
})
