import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlaidSimulator } from '../../simulators/plaid/index.ts'
import { createQuickbooksSimulator } from '../../simulators/quickbooks/index.ts'
import { serveSimulator } from '../../simulators/simulator.ts'
import { databaseOfService } from '../harness/database.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { type Service, startService } from '../process/service.ts'
import { type Answer, Client } from './client.ts'
import { type InjectedFault, withFaults } from './faulty-simulator.ts'
import { connectQuickbooks, finishAtPlaid } from './http-walks.ts'
import { openReceiver, ReceivedEvent, type Receiver } from './receiver.ts'

const BAKERY = '4620816365200000101'
const DONE = [15, 19]
/** More calls than any test makes. */
const ALWAYS = 1_000
/** A repeatedly failing source is paused for 30 s, perhaps more than once, before it is called again. */
const RECOVERY_MS = 140_000

const Feed = Type.Object({ data: Type.Array(ReceivedEvent) })

interface ConnectedService {
  companyId: string
  serviceId: string
  connectionId: string
  segment: 'accountancy' | 'banking'
}

const folder = folderForTests()
const database = openForTests(databaseOfService, (database) => database.drop())
const books = openForTests(() => serveBooks())
const banks = openForTests(() => serveBanks())
let service: Service
let client: Client
let receiver: Receiver
const places: Partial<Record<'QuickBooks Online' | 'Plaid', ConnectedService>> = {}
/** What was readable when each event arrived, by `Identifier`. */
const readAtEvent = new Map<string, Answer[]>()

const startedAt = new Date()
const serveBooks = async () => await serveSimulator((options) => withFaults(createQuickbooksSimulator(options), /^\/v3\//))
const serveBanks = async () =>
  await serveSimulator((options) =>
    withFaults(
      createPlaidSimulator({ ...options, now: () => startedAt, institutionCount: 60 }),
      /^\/(accounts|transactions|liabilities|item)\//,
    ),
  )

beforeAll(async () => {
  const hosts = Object.fromEntries(['authorize', 'token', 'revoke', 'api'].map((name) => [name, books.url]))
  const settings = {
    quickbooks: { app: { clientId: 'client', clientSecret: 'secret' }, hosts },
    plaid: { app: { clientId: 'client', secret: 'secret' }, hosts: { api: banks.url } },
  }
  await writeFile(join(folder.path, 'sources.json'), JSON.stringify(settings))
  service = await startService({ dataDir: folder.path, environment: database.environment })
  client = await Client.logIn(service)
  receiver = await openReceiver(async ({ event }) => {
    const place = Object.values(places).find(({ companyId }) => companyId === event.Data.CompanyId)
    // An event that is sent again, as after a slow answer, shows what could be read when it came first.
    if (place && !readAtEvent.has(event.Identifier)) readAtEvent.set(event.Identifier, await readAll(place))
  })
  await client.subscribe('NormalizedData', receiver.url)
  await connect('QuickBooks Online', 'accountancy', async (link) => await connectQuickbooks(service.baseUrl, link, { realmId: BAKERY }))
  await until('the directory of banks', async () => {
    const { id } = await client.service('Plaid')
    const { body } = await client.ask(`/normalized-data/services/${id}/institutions?search=union`)
    return body.includes('Union') ? true : null
  })
  await connect('Plaid', 'banking', async (link) => {
    const { owner, back } = await finishAtPlaid(service.baseUrl, link, 'union')
    await owner.get(back)
  })
})
afterAll(async () => {
  await service?.stop()
  await receiver?.close()
})

async function connect(
  source: keyof typeof places,
  segment: ConnectedService['segment'],
  walk: (link: string) => Promise<unknown>,
): Promise<void> {
  const companyId = await client.addCompany('Boulangerie du Plateau')
  await walk(await client.link(companyId, (await client.service(source)).id))
  const { sessionId, serviceId } = await client.connectionInStatus(companyId, DONE)
  places[source] = { companyId, serviceId, segment, connectionId: sessionId }
}

function placeOf(source: keyof typeof places): ConnectedService {
  const place = places[source]
  if (!place) throw new Error(`${source} was not connected`)
  return place
}

async function readAll({ companyId, serviceId, segment }: ConnectedService): Promise<Answer[]> {
  const lists = ['accounts', 'transactions']
  return await Promise.all(lists.map((list) => client.ask(`/normalized-data/${companyId}/${segment}/${list}/${serviceId}?PageSize=500`)))
}

/** Number of failed runs of the connection, from the log. */
function countFailures({ connectionId }: ConnectedService): number {
  return service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"connectionId":"${connectionId}"`) && line.includes('"kind":"')).length
}

async function refresh(place: ConnectedService): Promise<void> {
  const { status, body } = await client.refresh(place.companyId, place.serviceId)
  if (status !== 202) throw new Error(`not refreshed: ${body}`)
}

async function failOnce(place: ConnectedService): Promise<void> {
  const before = countFailures(place)
  await refresh(place)
  await until('a failed pass', () => (countFailures(place) > before ? true : null), RECOVERY_MS)
}

/** Refreshes, and waits until that run, or the one in progress, has succeeded. */
async function recover(place: ConnectedService): Promise<void> {
  const [before] = await client.runs(place.companyId, place.serviceId)
  await refresh(place)
  await until(
    'a pass that succeeds',
    async () => {
      const [newest] = await client.runs(place.companyId, place.serviceId)
      const isIts = newest?.id !== before?.id || before?.state === 'running'
      return isIts && (newest?.state === 'published' || newest?.state === 'unchanged') ? true : null
    },
    RECOVERY_MS,
  )
}

/** The last publication that was raised, whether it has arrived or not. */
async function newestEventOf(place: ConnectedService): Promise<ReceivedEvent> {
  const { data } = await client.read(Feed, '/webhooks/events?Limit=500')
  const newest = data.filter((event) => event.MessageType === 'NormalizedData' && event.Data.CompanyId === place.companyId).at(-1)
  if (!newest) throw new Error('no event was raised')
  return newest
}

/** Waits until every event of the connection so far has arrived. */
async function untilNoEventIsUnderWay(place: ConnectedService): Promise<void> {
  await until('the last event', async () => {
    const { data } = await client.read(Feed, '/webhooks/events?Limit=500')
    const raised = data.filter((event) => event.MessageType === 'NormalizedData' && event.Data.CompanyId === place.companyId)
    const arrived = new Set(receiver.arrivals.map(({ event }) => event.Identifier))
    return raised.every(({ Identifier }) => arrived.has(Identifier)) ? true : null
  })
}

describe.each(['QuickBooks Online', 'Plaid'] as const)('%s', { timeout: 240_000 }, (source) => {
  const sourceOf = () => (source === 'Plaid' ? banks.simulator : books.simulator)
  const FAULTS = ['html', 'truncated', 'empty', 'huge', 'unavailable']
  const SPOILINGS: InjectedFault[] = ['garbage', 'hang up']

  it.each([...FAULTS, ...SPOILINGS])('loses no published data if a source answers with %s', async (name) => {
    const place = placeOf(source)
    const before = await readAll(place)
    const spoiling = SPOILINGS.find((one) => one === name)
    if (spoiling) sourceOf().spoil = spoiling
    else sourceOf().fault(name, ALWAYS)
    await failOnce(place)
    const meanwhile = await readAll(place)
    const status = (await client.connections(place.companyId))[0]?.statusCode
    sourceOf().spoil = null
    sourceOf().clearFaults()
    await recover(place)
    expect([meanwhile, await readAll(place)]).toEqual([before, before])
    expect([before.map((answer) => answer.status), DONE.includes(status ?? 0)]).toEqual([[200, 200], true])
  })
})

describe('QuickBooks Online', { timeout: 240_000 }, () => {
  it('keeps its data readable while a source is slow, and accepts the answer in the end', async () => {
    const place = placeOf('QuickBooks Online')
    const before = await readAll(place)
    books.simulator.fault('slow')
    await refresh(place)
    await until('a request that hangs', () => (books.simulator.countHeld() > 0 ? true : null))
    expect(await readAll(place)).toEqual(before)
    books.simulator.release()
    await recover(place)
    expect(await readAll(place)).toEqual(before)
  })

  it('keeps its data readable while no answer of a source can be parsed, and until it has recovered', async () => {
    const place = placeOf('QuickBooks Online')
    const before = await readAll(place)
    books.simulator.spoil = 'garbage'
    for (let attempt = 1; attempt <= 3; attempt += 1) await failOnce(place)
    expect(await readAll(place)).toEqual(before)
    books.simulator.spoil = null
    await recover(place)
    await client.connectionInStatus(place.companyId, [15])
    expect(await readAll(place)).toEqual(before)
  })

  it('loses no account of a source that has changed its format', async () => {
    const place = placeOf('QuickBooks Online')
    const idsOf = async () =>
      JSON.parse((await readAll(place))[0]?.body ?? '')
        .data.map(({ id }: { id: string }) => id)
        .sort()
    const before = await idsOf()
    books.simulator.fault('schemaDrift')
    await recover(place)
    expect(await idsOf()).toEqual(before)
    await recover(place)
  })

  it('shows a change at the source to readers when its event arrives', async () => {
    const place = placeOf('QuickBooks Online')
    await untilNoEventIsUnderWay(place)
    const name = 'Four à pain no 2'
    const added = books.simulator.addAccount(BAKERY, { Name: name, AccountType: 'Fixed Asset' })
    const isReadable = async () => (await readAll(place))[0]?.body.includes(name) === true
    // A run that was under way has perhaps read the accounts before.
    while (!(await isReadable())) await recover(place)
    const { Identifier } = await newestEventOf(place)
    await until('the event of the change', () => (readAtEvent.has(Identifier) ? true : null))
    const [accounts] = readAtEvent.get(Identifier) ?? []
    const names = JSON.parse(accounts?.body ?? '').data.map(({ origId, name }: { origId: string; name: string }) => [origId, name])
    expect(names).toContainEqual([added.Id, name])
  })
})

describe('Plaid', { timeout: 240_000 }, () => {
  it('loses no published data of a source that never answers', async () => {
    const place = placeOf('Plaid')
    const before = await readAll(place)
    const known = banks.simulator.requests.length
    banks.simulator.fault('slow')
    const failing = failOnce(place)
    const isHanging = () => banks.simulator.requests.slice(known).some(({ answer }) => answer === null)
    // The source may be paused for a while after the failures before.
    await until('a request that hangs', () => (isHanging() ? true : null), RECOVERY_MS)
    expect(await readAll(place)).toEqual(before)
    await failing
    await recover(place)
    expect(await readAll(place)).toEqual(before)
  })
})
