import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { EARLIEST, enqueueDueSyncs, spreadOverdue } from './due-syncs.ts'
import { enqueueHintedSyncs } from './hinted-syncs.ts'

const db = databaseForTests()
let [instanceId, companyId] = ['', '']
beforeEach(async () => {
  for (const table of ['jobs', 'connections']) await db.database.query(`delete from ${table}`)
  instanceId = await addInstance(db.database)
  companyId = await addCompany(db.database, instanceId)
})

interface Row {
  status?: number
  entityId?: string | null
  reference?: string
  connectorKey?: string
  refreshHours?: number
  /** Of its own app. */
  sourceKeysId?: string | null
  /** When it is due, and when it was read. */
  dueMinutes?: number
  readMinutes?: number | null
}
async function connect(row: Row = {}): Promise<string> {
  const { status = 9, entityId = 'e', reference = 'books', connectorKey = 'xero', refreshHours = 24, sourceKeysId = null } = row
  const id = randomUUID()
  await db.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, reference, refresh_hours, source_keys_id, update_scheduled_at, last_read_at)
     values ($1, $2, $3, gen_random_uuid(), $4, 'Accounting', '', $5, $6, $7, $8, $9, clock_timestamp() + make_interval(mins => $10), clock_timestamp() + make_interval(mins => $11))`,
    [
      instanceId,
      id,
      companyId,
      connectorKey,
      status,
      entityId,
      reference,
      refreshHours,
      sourceKeysId,
      row.dueMinutes ?? -1,
      row.readMinutes ?? null,
    ],
  )
  return id
}
const MINUTES = `round(extract(epoch from run_at - clock_timestamp()) / 60)::int as minutes`
const jobs = async (columns = 'key') => (await db.database.query(`select ${columns} from jobs order by key`)).rows
const queue = (key: string, state: string, kind = 'sync') =>
  db.database.query(`insert into jobs (instance_id, kind, key, state, payload) values ($1, $2, $3, $4, '{"a": 1}')`, [
    instanceId,
    kind,
    key,
    state,
  ])
/** Those that wait for somebody, or have ended. */
const UNREAD = [6, 7, 8, 20, 26, 27]

describe('a scheduled sync', () => {
  it('is queued for each connection that is due, read and without one', async () => {
    const due = await connect()
    await connect({ dueMinutes: 1 })
    await connect({ entityId: null })
    for (const status of UNREAD) await connect({ status })
    const [waiting, running, replayed] = [await connect(), await connect(), await connect()]
    await queue(`connection/${waiting}`, 'ready')
    await queue(`connection/${running}`, 'running', 'replay')
    await queue(`connection/${replayed}`, 'ready', 'replay')
    expect(await enqueueDueSyncs(db.database, 99)).toEqual({ queued: 2, end: null })
    expect(await jobs('kind, key, provider, payload, state, instance_id as "instanceId"')).toEqual(
      expect.arrayContaining(
        [due, replayed].map((connectionId) => ({
          ...{ kind: 'sync', key: `connection/${connectionId}`, provider: 'xero', state: 'ready', instanceId },
          payload: { connectionId, reason: 'schedule' },
        })),
      ),
    )
    expect(await jobs()).toHaveLength(5)
    expect(await enqueueDueSyncs(db.database, 99)).toEqual({ queued: 0, end: null })
  })

  it('is queued in the order of the times, from a position on, and also ahead of its time', async () => {
    const [second, first, later] = [await connect({ dueMinutes: -5 }), await connect({ dueMinutes: -9 }), await connect({ dueMinutes: 5 })]
    const step = await enqueueDueSyncs(db.database, 1, EARLIEST)
    expect([step, await jobs()]).toEqual([{ queued: 1, end: { at: expect.any(String), id: first } }, [{ key: `connection/${first}` }]])
    expect((await enqueueDueSyncs(db.database, 1, step.end ?? EARLIEST)).end?.id).toBe(second)
    expect(await enqueueDueSyncs(db.database, 9, EARLIEST, 4 * 60_000)).toEqual({ queued: 0, end: null })
    expect(await enqueueDueSyncs(db.database, 9, EARLIEST, 6 * 60_000)).toEqual({ queued: 1, end: null })
    expect((await jobs()).map(({ key }) => key)).toContain(`connection/${later}`)
  })

  it('that nobody was there to start is spread over the time to come, at most over a quarter of its interval', async () => {
    const [overdue, often, recent] = [
      await connect({ dueMinutes: -99 }),
      await connect({ dueMinutes: -99, refreshHours: 1 }),
      await connect({ dueMinutes: -9 }),
    ]
    const queued = await connect({ dueMinutes: -99 })
    await queue(`connection/${queued}`, 'ready')
    const times = async () =>
      new Map(
        (
          await db.database.query(`select id, extract(epoch from update_scheduled_at - clock_timestamp()) / 60 as minutes from connections`)
        ).rows.map(({ id, minutes }) => [id, Number(minutes)]),
      )
    const spread = (limit: number, aheadMs = 0) => spreadOverdue(db.database, 10 * 60_000, 60 * 60_000, limit, aheadMs)
    expect([await spread(1), await spread(9), await spread(9)]).toEqual([1, 1, 0])
    const after = await times()
    const isWithin = (id: string, from: number, to: number) =>
      (after.get(id) ?? Number.NaN) >= from - 1 && (after.get(id) ?? Number.NaN) <= to
    expect([isWithin(overdue, 0, 60), isWithin(often, 0, 15), isWithin(recent, -10, -8), isWithin(queued, -100, -98)]).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(await spread(9, 5 * 60_000)).toBe(1)
  })
})

describe('a sync that a provider asks for', () => {
  const hint = (
    other: Partial<Parameters<typeof enqueueHintedSyncs>[1]> = {},
    wait: Partial<Parameters<typeof enqueueHintedSyncs>[2]> = {},
  ) =>
    enqueueHintedSyncs(
      db.database,
      { connectorKey: 'xero', references: ['books', 'others'], instanceId: null, ...other },
      { settleMs: 120_000, spacingMs: 600_000, ...wait },
    )

  it('is queued for the named connections that are read, of all instances, soon', async () => {
    const named = await connect()
    const home = instanceId
    instanceId = await addInstance(db.database)
    companyId = await addCompany(db.database, instanceId)
    const foreign = await connect({ reference: 'others' })
    await connect({ reference: 'unnamed' })
    await connect({ connectorKey: 'qbo' })
    await connect({ entityId: null })
    for (const status of UNREAD) await connect({ status })
    expect(await hint()).toBe(2)
    const job = (id: string, of: string) => ({
      instanceId: of,
      kind: 'sync',
      key: `connection/${id}`,
      provider: 'xero',
      minutes: 2,
      payload: { connectionId: id, reason: 'hint', requestedAt: expect.any(String) },
    })
    expect(await jobs(`instance_id as "instanceId", kind, key, provider, payload, ${MINUTES}`)).toEqual(
      [job(named, home), job(foreign, instanceId)].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    )
    expect(await hint({ references: [] })).toBe(0)
  })

  it('waits until some time after the last read', async () => {
    await connect({ readMinutes: -3 })
    await hint()
    expect(await jobs(MINUTES)).toEqual([{ minutes: 7 }])
  })

  it('keeps the time and the reason of one that is queued, and notes that there is news', async () => {
    const id = await connect()
    await queue(`connection/${id}`, 'ready')
    expect(await hint()).toBe(1)
    expect(await jobs(`payload, ${MINUTES}`)).toEqual([{ payload: { a: 1, requestedAt: expect.any(String) }, minutes: 0 }])
  })

  it('with the app of an instance is that of its own connections made with it', async () => {
    const own = await connect({ sourceKeysId: randomUUID() })
    await connect()
    expect([await hint({ instanceId: randomUUID() }), await hint({ instanceId })]).toEqual([0, 1])
    expect(await jobs()).toEqual([{ key: `connection/${own}` }])
  })
})
