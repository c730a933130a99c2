import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectors } from '../../src/connectors/registry.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { LONGEST_MINUTES, shortestMinutesOf } from '../../src/sync/schedules/shortest-interval.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { type ApiHarness, openApiHarness } from './harness.ts'

const MINUTE_MS = 60_000

let api: ApiHarness
let limited: ScriptedSource
let service: string
let place: string
beforeEach(async () => {
  limited = new ScriptedSource('limited')
  limited.description.limits = [{ name: 'day', scope: 'entity', calls: 24, perMs: 1_440 * MINUTE_MS }]
  api = await openApiHarness([limited])
  service = `/normalized-data/services/${api.syncHarness.serviceId(api.books)}/schedule`
  place = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.books)}`
})
afterEach(async () => await api.close())

interface Audited {
  data: { before: object; after: object }[]
}

interface Shown {
  everyMinutes: number | null
  setBy: string
  shortestMinutes: number
  updateScheduledOn: string | null
}

const shown = async (path: string) => (await api.call('GET', path)).json() as unknown as Shown
const set = async (path: string, everyMinutes: unknown) => await api.call('PUT', path, { body: { everyMinutes } })

/** Runs the jobs that update connections to their service's schedule. */
async function follow(): Promise<void> {
  for (const job of await takeJobs(api.syncHarness.deps.database, 'reschedule')) {
    expect(await runJob(syncHandlers(api.syncHarness.deps).reschedule, job)).toEqual({ done: true })
  }
}

/** Minutes until the next scheduled refresh, as the connection shows it; null if there is none. */
async function dueIn(): Promise<number | null> {
  const { updateScheduledOn: on } = (await api.call('GET', `${place}/status`)).json() as unknown as Shown
  return on === null ? null : (Date.parse(`${on}Z`) - Date.now()) / MINUTE_MS
}

describe('the schedule of a connection', () => {
  it('is its source’s, its service’s or its own, and shows the actual next refresh', async () => {
    const atFirst = await shown(`${place}/schedule`)
    expect((await set(service, 60)).json()).toMatchObject({ everyMinutes: 60, setBy: 'service' })
    await follow()
    const [ofService, hourly] = [await shown(`${place}/schedule`), await dueIn()]
    expect((await set(`${place}/schedule`, 15)).json()).toMatchObject({ everyMinutes: 15, setBy: 'connection' })
    const often = await dueIn()
    await set(service, 2_880)
    await follow()
    const kept = await dueIn()
    const back = (await api.call('DELETE', `${place}/schedule`)).json() as unknown as Shown
    await api.call('DELETE', service)
    await follow()
    expect([atFirst, ofService, back, await shown(`${place}/schedule`)]).toMatchObject([
      { everyMinutes: 1_440, setBy: 'source' },
      { everyMinutes: 60, setBy: 'service' },
      { everyMinutes: 2_880, setBy: 'service' },
      { everyMinutes: 1_440, setBy: 'source' },
    ])
    expect([hourly, often, kept].map((minutes) => minutes !== null && minutes > 0)).toEqual([true, true, true])
    expect([(hourly ?? 0) <= 68, (often ?? 0) <= 17, (kept ?? 0) <= 17]).toEqual([true, true, true])
  })

  it('triggers a refresh when it is due, and the next one an interval later', async () => {
    const { database } = api.syncHarness.deps
    await set(`${place}/schedule`, 15)
    await api.syncHarness.sync(api.connectionId)
    expect(await dueIn()).toBeLessThanOrEqual(17)
    const { rows } = await database.query('select update_scheduled_at > clock_timestamp() as "isAhead" from connections where id = $1', [
      api.connectionId,
    ])
    expect(rows).toEqual([{ isAhead: true }])
  })

  it('that is “never” triggers none, and shows no time', async () => {
    expect((await set(`${place}/schedule`, null)).json()).toMatchObject({
      everyMinutes: null,
      setBy: 'connection',
      updateScheduledOn: null,
    })
    const [entry] = ((await api.call('GET', '/audit?FilterQuery=action=connection.schedule-changed')).json() as unknown as Audited).data
    expect(entry).toMatchObject({ before: { everyMinutes: null }, after: { everyMinutes: 'never' } })
    await api.syncHarness.sync(api.connectionId)
    expect(await dueIn()).toBeNull()
    const list = async (filter: string) =>
      (await api.call('GET', `/normalized-data/data-connection/statuses?FilterQuery=${encodeURIComponent(filter)}`)).json() as unknown as {
        data: { sessionId: string }[]
      }
    expect((await list('updateScheduledOn = null')).data.map(({ sessionId }) => sessionId)).toEqual([api.connectionId])
    expect((await list('updateScheduledOn >= 2100-01-01')).data).toEqual([])
    await set(service, null)
    await api.call('DELETE', `${place}/schedule`)
    await follow()
    expect(await shown(`${place}/schedule`)).toMatchObject({ everyMinutes: null, setBy: 'service', updateScheduledOn: null })
    await set(service, 30)
    await follow()
    expect(await dueIn()).toBeLessThanOrEqual(34)
  })

  it('shows no time while it is suspended, nor after its end', async () => {
    await api.call('POST', `${place}/suspend`)
    const suspended = await dueIn()
    await api.call('POST', `${place}/resume`)
    const resumed = await dueIn()
    await api.call('DELETE', place)
    expect([suspended, resumed !== null, await dueIn()]).toEqual([null, true, null])
    expect((await set(`${place}/schedule`, 60)).statusCode).toBe(409)
  })
})

describe('an interval', () => {
  it.each([14, 43_201, 0, -15, 15.5, '15', undefined])('cannot be %j minutes', async (everyMinutes) => {
    expect([(await set(service, everyMinutes)).statusCode, (await set(`${place}/schedule`, everyMinutes)).statusCode]).toEqual([400, 400])
    expect(await shown(service)).toMatchObject({ everyMinutes: 1_440, setBy: 'source' })
  })

  it('cannot be shorter than the source’s rate limits allow', async () => {
    const path = `/normalized-data/services/${api.syncHarness.serviceId(limited)}/schedule`
    const { shortestMinutes } = await shown(path)
    const refused = await set(path, shortestMinutes - 1)
    expect([shortestMinutes, refused.statusCode, refused.json(), (await set(path, shortestMinutes)).statusCode]).toMatchObject([
      60,
      400,
      { errors: [{ field: 'everyMinutes', message: 'must be at least 60 within the limits of this source' }] },
      200,
    ])
  })

  it('that each source allows is between a quarter of an hour and a day', async () => {
    const shortest = await Promise.all(connectors.map(async (each) => [each.key, shortestMinutesOf(each, await each.load())] as const))
    expect(shortest.filter(([, minutes]) => minutes < 15 || minutes > 1_440)).toEqual([])
    expect([Object.fromEntries(shortest).simplefin, LONGEST_MINUTES]).toEqual([120, 43_200])
  })
})

it('a service’s schedule applies to all its connections without their own, in every batch', async () => {
  const { database } = api.syncHarness.deps
  await database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, update_scheduled_at, refresh_hours, refresh_minutes)
     select $1, gen_random_uuid(), $2, gen_random_uuid(), 'books', 'Accounting', '', 15, 'e', clock_timestamp() + interval '20 hours', 24, case when n % 5 = 0 then 720 end
     from generate_series(1, 450) n`,
    [api.syncHarness.instanceId, api.syncHarness.companyId],
  )
  await set(service, 15)
  await follow()
  const { rows } = await database.query<{ isSoon: boolean; count: number }>(
    `select update_scheduled_at < clock_timestamp() + interval '18 minutes' as "isSoon", count(*)::int as count from connections
     where connector_key = 'books' group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { isSoon: false, count: 90 },
    { isSoon: true, count: 361 },
  ])
})
