import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'
import { listPublishedConnections, noteReplayed } from '../../src/store/records/replay-records.ts'
import { readReplayReport } from '../../src/store/records/replay-reports.ts'
import {
  createReplay,
  deleteOldReplays,
  findReplay,
  findWaitingPart,
  finishPart,
  NOTHING_REPLAYED,
  type Replay,
  type ReplayPart,
  savePart,
} from '../../src/store/records/replays.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { AT, addBooks, type Books, idOf, minutesAfter, storeForTests } from './record-store.ts'

describe('a replay', () => {
  const test = storeForTests(false)
  let database: Database
  let books: Books
  let second: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    await database.query('delete from jobs')
    books = await addBooks(database)
    second = await addBooks(database, { instanceId: books.instanceId })
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  const replayOf = (other: Partial<Replay> = {}): Omit<Replay, 'createdAt'> => ({
    ...{
      instanceId: books.instanceId,
      id: randomUUID(),
      companyId: null,
      serviceId: null,
      connectorKey: null,
      isDryRun: false,
      requestedBy: 'dev@example.com',
    },
    ...other,
  })
  const create = async (other: Partial<Replay> = {}): Promise<Omit<Replay, 'createdAt'>> => {
    const replay = replayOf(other)
    await createReplay(database, replay)
    return replay
  }
  const partsOf = async (id: string) =>
    (
      await database.query(
        'select connection_id as "connectionId", state, error, finished_at as "at" from replay_parts where replay_id = $1 order by connection_id',
        [id],
      )
    ).rows

  it.each([
    ['all of an instance', {}, ['first', 'second']],
    ['of one company', { companyId: 'first' }, ['first']],
    ['at one service', { serviceId: 'second' }, ['second']],
    ['of one connector', { connectorKey: 'bank' }, ['first', 'second']],
    ['of another connector', { connectorKey: 'xero' }, []],
  ])('has a part and a job for each published connection: %s', async (_which, filter: Record<string, string>, expected) => {
    const at = { first: books, second }
    const named = (name: string | undefined) => (name === 'first' || name === 'second' ? at[name] : null)
    // Neither what has ended nor what never published is replayed.
    await addBooks(database, { instanceId: books.instanceId, companyId: books.companyId, status: 26 })
    await addBooks(database, { instanceId: books.instanceId, companyId: books.companyId, publishedAt: null })
    const replay = replayOf({
      companyId: named(filter.companyId)?.companyId ?? null,
      serviceId: named(filter.serviceId)?.serviceId ?? null,
      connectorKey: filter.connectorKey ?? null,
    })
    expect(await createReplay(database, replay)).toBe(expected.length)
    const ids = expected.map((name) => named(name)?.connectionId).toSorted()
    expect((await partsOf(replay.id)).map(({ connectionId }) => connectionId)).toEqual(ids)
    const { rows } = await database.query('select instance_id as "instanceId", kind, key, payload from jobs order by key')
    expect(rows).toEqual(
      ids.map((connectionId) => ({
        instanceId: books.instanceId,
        kind: 'replay',
        key: `connection/${connectionId}`,
        payload: { connectionId },
      })),
    )
    expect(await findReplay(database, books.instanceId, replay.id)).toEqual({ ...replay, createdAt: expect.any(Date) })
    expect(await findReplay(database, neighbour.instanceId, replay.id)).toBe(null)
  })

  it('queues no second job for a connection that waits for one, and wakes the workers', async () => {
    await create()
    const client = await database.connect()
    const heard: string[] = []
    client.on('notification', ({ channel }) => void heard.push(channel))
    await client.query('listen jobs')
    await create({ companyId: books.companyId, isDryRun: true })
    await client.query('select 1')
    client.release(true)
    expect(heard).toEqual(['jobs'])
    expect((await database.query('select from jobs')).rowCount).toBe(2)
  })

  it('goes through a connection in the order of the requests', async () => {
    const first = await create({ isDryRun: true })
    const later = await create()
    await database.query(`update replays set created_at = created_at + interval '1 minute' where id = $1`, [later.id])
    const { instanceId, connectionId } = books
    const waiting = await findWaitingPart(database, instanceId, connectionId)
    const fresh = { instanceId, connectionId, runId: null, cursor: null, counts: NOTHING_REPLAYED, changes: [] }
    expect(waiting).toEqual({ ...fresh, replayId: first.id, isDryRun: true })
    const part: ReplayPart = { ...fresh, replayId: first.id, isDryRun: true }
    await finishPart(database, part, 'failed', 'no page')
    expect(await findWaitingPart(database, instanceId, connectionId)).toEqual({ ...fresh, replayId: later.id, isDryRun: false })
    expect(await findWaitingPart(database, neighbour.instanceId, connectionId)).toBe(null)
    // What has ended stays as it is.
    await finishPart(database, part, 'done')
    expect(await savePart(database, { ...part, runId: randomUUID() })).toBe(false)
    expect((await partsOf(first.id)).filter((each) => each.connectionId === connectionId)).toEqual([
      { connectionId, state: 'failed', error: 'no page', at: expect.any(Date) },
    ])
    await finishPart(database, { ...part, replayId: later.id }, 'done')
    expect((await partsOf(later.id)).map(({ state, error }) => [state, error]).toSorted()).toEqual([
      ['done', null],
      ['waiting', null],
    ])
  })

  it('continues where it stopped, with what it has counted', async () => {
    const replay = await create({ companyId: books.companyId })
    const { instanceId, connectionId } = books
    const part: ReplayPart = {
      ...{ instanceId, connectionId, replayId: replay.id, isDryRun: false, runId: randomUUID() },
      ...{ cursor: { fetchedAt: AT.toISOString(), id: idOf(1) }, counts: { ...NOTHING_REPLAYED, pages: 2, changed: 1 } },
      changes: [{ entity: 'Accounts', field: 'name', count: 1, examples: [{ recordId: idOf(1), before: 'a', after: null }] }],
    }
    expect(await savePart(database, part)).toBe(true)
    expect(await findWaitingPart(database, instanceId, connectionId)).toEqual(part)
    expect(await savePart(database, { ...part, cursor: null })).toBe(true)
    expect(await findWaitingPart(database, instanceId, connectionId)).toEqual({ ...part, cursor: null })
    await database.query(`update replay_parts set counts = '{"pages": 5}'`)
    expect((await findWaitingPart(database, instanceId, connectionId))?.counts).toEqual({ ...NOTHING_REPLAYED, pages: 5 })
  })

  it('reports its counts, its differences with examples, and its failures', async () => {
    const companyId = await addCompany(database, books.instanceId)
    const parts: Books[] = []
    for (let n = 1; n <= 8; n += 1)
      parts.push(
        await addBooks(database, { instanceId: books.instanceId, companyId, connectionId: randomUUID().replace(/^.{8}/, `0000000${n}`) }),
      )
    const replay = await create({ companyId })
    const [one, two, three, four] = parts.map(({ connectionId, instanceId }) => ({ connectionId, instanceId, replayId: replay.id }))
    if (!one || !two || !three || !four) throw new Error('too few parts')
    const counts = { pages: 1, records: 2, changed: 3, added: 4, setAside: 5, withoutPage: 6, unreadablePages: 7 }
    const example = (n: number) => ({ recordId: idOf(n), before: n, after: null })
    const change = (field: string, numbers: number[]) => ({
      entity: 'Accounts',
      field,
      count: numbers.length + 10,
      examples: numbers.map(example),
    })
    const saved = { isDryRun: false, runId: null, cursor: null, counts }
    await savePart(database, { ...one, ...saved, changes: [change('name', [1, 3, 5]), change('currency', [9])] })
    await savePart(database, { ...two, ...saved, changes: [change('name', [2, 4, 6])] })
    await savePart(database, { ...three, ...saved, changes: [change('empty', [])] })
    await finishPart(database, one, 'done')
    await finishPart(database, two, 'skipped')
    await finishPart(database, three, 'failed', 'cannot')
    await finishPart(database, four, 'failed')
    const of = { companyId }
    expect(await readReplayReport(database, books.instanceId, replay.id)).toEqual({
      connections: { waiting: 4, done: 1, skipped: 1, failed: 2 },
      counts: { pages: 3, records: 6, changed: 9, added: 12, setAside: 15, withoutPage: 18, unreadablePages: 21 },
      changes: [
        { entity: 'Accounts', field: 'currency', count: 11, examples: [example(9)] },
        { entity: 'Accounts', field: 'empty', count: 10, examples: [] },
        // At most five examples, from all connections.
        { entity: 'Accounts', field: 'name', count: 26, examples: [1, 2, 3, 4, 5].map(example) },
      ],
      failures: [
        { ...of, connectionId: three.connectionId, serviceId: parts[2]?.serviceId, error: 'cannot' },
        { ...of, connectionId: four.connectionId, serviceId: parts[3]?.serviceId, error: '' },
      ],
    })
    const none = { connections: { waiting: 0, done: 0, skipped: 0, failed: 0 }, counts: NOTHING_REPLAYED, changes: [], failures: [] }
    expect(await readReplayReport(database, neighbour.instanceId, replay.id)).toEqual(none)
  })

  it('is deleted when it is old and has ended', async () => {
    await database.query('delete from replays')
    const [waiting, ended, young] = [await create(), await create(), await create()]
    for (const replay of [ended, young])
      for (const { connectionId } of [books, second]) await finishPart(database, { ...replay, replayId: replay.id, connectionId }, 'done')
    await database.query(`update replays set created_at = now() - interval '10 days 1 minute' where id <> $1`, [young.id])
    await database.query(`update replays set created_at = now() - interval '9 days 23 hours' where id = $1`, [young.id])
    expect([await deleteOldReplays(database, 10), await deleteOldReplays(database, 10)]).toEqual([1, 0])
    const { rows } = await database.query<{ id: string }>('select id from replays')
    expect(rows.map(({ id }) => id).toSorted()).toEqual([waiting.id, young.id].toSorted())
  })

  it('notes when readers got what it changed', async () => {
    await noteReplayed(database, neighbour.instanceId, books.connectionId, minutesAfter(1))
    const published = async () =>
      (await database.query('select published_at as at from connections where id = $1', [books.connectionId])).rows
    expect(await published()).toEqual([{ at: AT }])
    await noteReplayed(database, books.instanceId, books.connectionId, minutesAfter(2))
    expect(await published()).toEqual([{ at: minutesAfter(2) }])
  })

  it('of all connections begins with published ones, in an order of its own', async () => {
    await addBooks(database, { publishedAt: null })
    const list = (seed: string, limit: number) => listPublishedConnections(database, seed, limit)
    const all = await list('a', 99)
    const ids = all.map(({ connectionId }) => connectionId)
    expect(all).toContainEqual({ instanceId: books.instanceId, connectionId: books.connectionId })
    const { rows } = await database.query<{ id: string }>('select id from connections where published_at is not null')
    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    expect(await list('a', 2)).toEqual(all.slice(0, 2))
    const orders = ['b', 'c', 'd', 'e'].map(async (seed) => (await list(seed, 99)).map(({ connectionId }) => connectionId).join())
    expect(new Set(await Promise.all(orders)).size).toBeGreaterThan(1)
  })
})
