import { beforeEach, describe, expect, it } from 'vitest'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import { ensureChildService } from '../../src/store/connections/child-services.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { ActionNotAllowed } from '../../src/sync/connection/connection-actions.ts'
import {
  changeConnectionSchedule,
  changeServiceSchedule,
  findServiceInterval,
  NoSchedule,
  readConnectionSchedule,
  readServiceSchedule,
  rescheduleFollowers,
  TooOften,
} from '../../src/sync/schedules/refresh-schedule.ts'
import { findService, type Service } from '../../src/sync/sources/catalogue.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'
import { companyActions } from '../sync/harness.ts'

const harness = openForTests(openLinksHarness)
const query = async (text: string, values: unknown[] = []) => (await harness.sync.deps.database.query(text, values)).rows
const CHILD = '33333333-3333-4333-8333-333333333333'

let target: Awaited<ReturnType<typeof harness.target>>
let connectionId: string
beforeEach(async () => {
  harness.books.description.limits = []
  target = await harness.target()
  connectionId = await companyActions(harness.sync.deps, target.instanceId, target.companyId).connect(harness.books)
  await query('delete from jobs')
})

async function service(id = target.serviceId, instanceId = target.instanceId): Promise<Service> {
  const found = await findService(harness.sync.deps.database, harness.sync.deps.sources, instanceId, id)
  if (!found) throw new Error('no service')
  return found
}
const files = () => service(harness.sync.serviceId(harness.files))
async function child(): Promise<Service> {
  const bank = { id: CHILD, connectorKey: 'books', institutionId: 'b-1', name: 'Harbor' }
  await ensureChildService(harness.sync.deps.database, target.instanceId, bank)
  return await service(CHILD)
}
const setService = async (of: Service, minutes: number | null) =>
  await harness.recorded.acting(() => changeServiceSchedule(harness.sync.deps, target.instanceId, of, minutes))
const setConnection = async (minutes: number | null, of = target) =>
  await harness.recorded.acting(async () => await changeConnectionSchedule(harness.sync.deps, of, await service(), minutes))
const connection = async () => {
  const found = await findConnection(harness.sync.deps.database, target.instanceId, connectionId)
  if (!found) throw new Error('no connection')
  return found
}
const readConnection = async () => await readConnectionSchedule(harness.sync.deps, await connection(), await service())
const readService = async (of: Service) => await readServiceSchedule(harness.sync.deps, target.instanceId, of)
const follow = async () => {
  for (const job of await takeJobs(harness.sync.deps.database, 'reschedule')) await rescheduleFollowers(harness.sync.deps.database, job)
}
/** Minutes until the connection is read next; null: never. */
async function dueInMinutes(): Promise<number | null> {
  const minutes = `case when update_scheduled_at < '9000-01-01' then extract(epoch from update_scheduled_at - now())::float8 / 60 end`
  return (await query(`select ${minutes} as minutes from connections where id = $1`, [connectionId]))[0]?.minutes ?? null
}
const PLAIN = { minutes: 1_440, setBy: 'source', shortestMinutes: 15, isChangeable: true }

describe('the interval of a service', () => {
  it('is that of its source until it is set, and again when that is taken back', async () => {
    expect(await readService(await service())).toEqual(PLAIN)
    await setService(await service(), 60)
    expect(await readService(await service())).toEqual({ ...PLAIN, minutes: 60, setBy: 'service' })
    expect(await findServiceInterval(harness.sync.deps.database, (await harness.target()).instanceId, await service())).toEqual({
      ...{ minutes: 1_440, setBy: 'source' },
    })
    await setService(await service(), null)
    expect(await readService(await service())).toEqual(PLAIN)
  })

  it('of a bank is its own, or that of the source through which it is reached', async () => {
    const bank = await child()
    expect(await readService(bank)).toEqual(PLAIN)
    await setService(await service(), 60)
    expect(await readService(bank)).toEqual({ ...PLAIN, minutes: 60 })
    await setService(bank, 0)
    expect(await readService(bank)).toEqual({ ...PLAIN, minutes: 0, setBy: 'service' })
    expect(await readService(await service())).toEqual({ ...PLAIN, minutes: 60, setBy: 'service' })
  })

  it('is none for files, which are read when they arrive', async () => {
    expect(await readService(await files())).toEqual({ ...PLAIN, minutes: 0, isChangeable: false })
    await expect(setService(await files(), 60)).rejects.toThrow(NoSchedule)
    await expect(setService(await files(), null)).rejects.toThrow(NoSchedule)
  })

  it.each<[number | null, boolean]>([
    [29, false],
    [1, false],
    [30, true],
    [0, true],
    [null, true],
  ])('of %s minutes lasts with limits that need thirty: %s', async (minutes, isAllowed) => {
    harness.books.description.limits = [{ name: 'n', scope: 'entity', calls: 2, perMs: 3_600_000 } as SourceLimit]
    const set = setService(await service(), minutes)
    if (isAllowed) await set
    else await expect(set).rejects.toMatchObject({ constructor: TooOften, shortestMinutes: 30 })
    expect((await takeJobs(harness.sync.deps.database, 'reschedule')).length).toBe(isAllowed ? 1 : 0)
  })

  it('is recorded, and changes when its connections are read', async () => {
    await setService(await service(), 20)
    await setService(await service(), 0)
    const subject = `service/${target.serviceId}`
    const action = 'service.schedule-changed'
    expect(await harness.recorded.entriesOf(target.instanceId)).toEqual([
      { action, subject, after: { everyMinutes: 20 } },
      { action, subject, after: { everyMinutes: 'never' } },
    ])
    await follow()
    expect(await dueInMinutes()).toBeNull()
    await setService(await service(), 20)
    await follow()
    const due = (await dueInMinutes()) ?? 0
    expect([due > 2, due < 23]).toEqual([true, true])
  })
})

describe('the interval of a connection', () => {
  it('is its own, or that of its service', async () => {
    await setService(await service(), 60)
    expect(await readConnection()).toEqual({ ...PLAIN, minutes: 60, setBy: 'service' })
    expect(await setConnection(20)).toMatchObject({ id: connectionId })
    expect(await readConnection()).toEqual({ ...PLAIN, minutes: 20, setBy: 'connection' })
    const due = (await dueInMinutes()) ?? 0
    expect([due > 2, due < 23]).toEqual([true, true])
    await setConnection(0)
    expect([await readConnection(), await dueInMinutes()]).toEqual([{ ...PLAIN, minutes: 0, setBy: 'connection' }, null])
    await setConnection(null)
    expect(await readConnection()).toEqual({ ...PLAIN, minutes: 60, setBy: 'service' })
    const subject = `connection/${connectionId}`
    const changes = (await harness.recorded.entriesOf(target.instanceId)).slice(1)
    expect(changes).toEqual([
      { action: 'connection.schedule-changed', subject, after: { everyMinutes: 20 } },
      { action: 'connection.schedule-changed', subject, after: { everyMinutes: 'never' } },
      { action: 'connection.schedule-changed', subject, after: { everyMinutes: null } },
    ])
  })

  it('stays when the service is read otherwise', async () => {
    await setConnection(0)
    await setService(await service(), 20)
    await follow()
    expect([await readConnection(), await dueInMinutes()]).toEqual([{ ...PLAIN, minutes: 0, setBy: 'connection' }, null])
  })

  it('cannot be set for one that has ended or was never authorized, nor for another company', async () => {
    await query('update connections set status = 26 where id = $1', [connectionId])
    await expect(setConnection(60)).rejects.toThrow(ActionNotAllowed)
    await query('update connections set status = 9, entity_id = null where id = $1', [connectionId])
    await expect(setConnection(60)).rejects.toThrow(ActionNotAllowed)
    expect(await setConnection(60, { ...target, companyId: (await harness.target(target.instanceId)).companyId })).toBeNull()
    await expect(setConnection(1)).rejects.toThrow(TooOften)
    expect(await readConnection()).toEqual(PLAIN)
  })
})
