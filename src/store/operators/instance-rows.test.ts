import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { addBooks, addVersion, type Books, idOf, SHAPES, storeForTests } from '../../../test/records/record-store.ts'
import { FIRST_ID, LAST_ID } from '../../model/values/first-id.ts'
import { lockConnectionsWithCredentials } from '../connections/credentials.ts'
import { type Database, inTransaction } from '../db/database.ts'
import {
  countJobs,
  deleteInstance,
  deleteInstanceRows,
  deleteJobs,
  deleteRecordsOfConnections,
  listConnectionIds,
  listInstanceTables,
  type RowKey,
} from './instance-rows.ts'
import { countStoredBytes, recountStoredBytes, storedBytesCounter } from './stored-bytes.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    await database.query('delete from unclaimed_objects')
    await database.query('delete from raw_pages')
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  const remove = (name: string, limit: number) =>
    inTransaction(database, async (db) => (await deleteInstanceRows(db, { name, key: [] }, books.instanceId, limit)).deleted)
  const countOf = async (table: string, of: Books) =>
    (await database.query(`select from ${table} where instance_id = $1`, [of.instanceId])).rowCount
  const addPage = async (of: Books, objectId: string | null = null) =>
    await database.query(
      `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed, object_id, object_bytes)
       values ($1, $2, $3, $4, 'a', 0, '2001-01-01', '', '12345', $5, $6)`,
      [of.instanceId, randomUUID(), of.connectionId, of.companyId, objectId, objectId && 100],
    )

  it('tables of instances come before those that they refer to, without those of the deployment', async () => {
    const tables = await listInstanceTables(database)
    const names = tables.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['record_versions', 'companies', 'connections', 'users', 'exports', 'export_parts', 'jobs', 'audit_entries']),
    )
    expect(names.filter((name) => name.startsWith('operator') || name === 'instance_erasures' || name === 'instances')).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    const { rows } = await database.query<{ from: string; to: string }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f' and conrelid <> confrelid`,
    )
    const wrong = rows.filter(({ from, to }) => names.includes(from) && names.includes(to) && names.indexOf(from) > names.indexOf(to))
    expect(wrong).toEqual([])
    expect(tables.find(({ name }) => name === 'export_parts')?.columns).toEqual([
      'instance_id',
      'export_id',
      'part',
      'company_id',
      'service_id',
      'published_at',
      'records',
    ])
  })

  it('rows of an instance are deleted, a limited number at a time, and none of another', async () => {
    for (const each of [books, neighbour])
      for (const kind of ['a', 'b', 'c'])
        await database.query(`insert into jobs (instance_id, kind, key, payload) values ($1, $2, gen_random_uuid(), '{}')`, [
          each.instanceId,
          kind,
        ])
    expect([await remove('jobs', 2), await countOf('jobs', books)]).toEqual([2, 1])
    expect([await remove('jobs', 2), await remove('jobs', 2), await countOf('jobs', neighbour)]).toEqual([1, 0, 3])
  })

  it('records of an instance are deleted, on a cluster all at once', async () => {
    for (const each of [books, neighbour]) for (const n of [1, 2, 3]) await addVersion(database, each, { id: idOf(n) })
    expect([await remove('record_versions', 2), await countOf('record_versions', books)]).toEqual(isDistributed ? [3, 0] : [2, 1])
    expect([await remove('record_versions', 2), await countOf('record_versions', neighbour)]).toEqual([isDistributed ? 0 : 1, 3])
  })

  it('records are deleted with their connections, a limited number of them at a time, and none of another instance', async () => {
    const more = await addBooks(database, { instanceId: books.instanceId })
    const owners = [books, more].toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1))
    for (const each of [...owners, neighbour]) for (const n of [1, 2]) await addVersion(database, each, { id: idOf(n) })
    await addVersion(database, more, { id: idOf(1), entity: 'Transactions' })
    const [first, second] = owners.map((each) => (each === more ? 3 : 2))
    const remove = (limit: number, after: RowKey | null) =>
      inTransaction(database, (db) => deleteRecordsOfConnections(db, books.instanceId, limit, after))
    expect([await remove(1, null), await countOf('record_versions', books)]).toEqual([first, second])
    expect([await remove(1, null), await remove(1, [owners[1]?.connectionId ?? '']), await remove(9, [LAST_ID])]).toEqual([0, second, 0])
    expect([await countOf('record_versions', books), await countOf('record_versions', neighbour)]).toEqual([0, 2])
  })

  it('the objects of pages that are deleted are removed', async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()]
    const other = await addBooks(database, { instanceId: books.instanceId })
    for (const [of, objectId] of [
      [books, one],
      [books, null],
      [other, two],
      [neighbour, three],
    ] as const)
      await addPage(of, objectId)
    expect([await remove('raw_pages', 9), await countOf('raw_pages', books), await countOf('raw_pages', neighbour)]).toEqual([3, 0, 1])
    const { rows } = await database.query('select object_key as key, is_condemned as "isCondemned" from unclaimed_objects')
    const key = (of: Books, id: string) => ({ key: `${of.instanceId}/${of.connectionId}/${id}`, isCondemned: true })
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set([key(books, one), key(other, two)].map((row) => JSON.stringify(row))),
    )
  })

  it('stored bytes that triggers have not counted are counted once; a cluster counts them as they come', async () => {
    await addPage(books)
    await addPage(books, randomUUID())
    await database.query(
      `insert into source_files (instance_id, id, connection_id, company_id, name, content_hash, sealed) values ($1, $2, $3, $4, 'a', '', '1234567')`,
      [books.instanceId, randomUUID(), books.connectionId, books.companyId],
    )
    await database.query('delete from stored_bytes')
    const bytes = async () =>
      (await database.query('select connection_id as id, bytes::int as bytes from stored_bytes where bytes > 0')).rows
    await countStoredBytes(database, () => true)
    expect(await bytes()).toEqual([])
    await countStoredBytes(database)
    const counted = [{ id: books.connectionId, bytes: 117 }]
    expect(await bytes()).toEqual(isDistributed ? [] : counted)
    if (isDistributed) return
    expect((await database.query('select from stored_bytes where connection_id = $1', [neighbour.connectionId])).rowCount).toBe(1)
    // What is counted already is left as it is.
    await database.query('update stored_bytes set bytes = 9 where connection_id = $1', [books.connectionId])
    await countStoredBytes(database)
    expect(await bytes()).toEqual([{ id: books.connectionId, bytes: 9 }])
    await database.query('update stored_bytes set bytes = 9 where connection_id = $1', [neighbour.connectionId])
    await recountStoredBytes(database, [books])
    expect((await bytes()).toSorted((a, b) => a.bytes - b.bytes)).toEqual([{ id: neighbour.connectionId, bytes: 9 }, ...counted])
  })
})

describe('an instance', () => {
  const test = storeForTests(false)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    neighbour = await addBooks(database)
  })

  it('has its bytes counted once by a process that is not stopped meanwhile', async () => {
    let isStopping = true
    const count = storedBytesCounter(database, () => isStopping)
    const isCounted = async () => {
      const { rowCount } = await database.query('delete from stored_bytes')
      return (rowCount ?? 0) > 0
    }
    await isCounted()
    await count()
    expect(await isCounted()).toBe(false)
    isStopping = false
    await count()
    expect(await isCounted()).toBe(true)
    await count()
    expect(await isCounted()).toBe(false)
  })

  it('has connections with credentials, present or past, and all others, in order', async () => {
    const { instanceId } = books
    const present = await addBooks(database, { instanceId })
    const past = await addBooks(database, { instanceId })
    await database.query(`update connections set credentials = '1' where id = $1`, [present.connectionId])
    await database.query(`update connections set credentials = '1' where id = $1`, [neighbour.connectionId])
    await database.query(
      `insert into credential_versions (instance_id, connection_id, id, base_generation, issued_at, sealed) values ($1, $2, gen_random_uuid(), 1, now(), '1')`,
      [instanceId, past.connectionId],
    )
    const ids = [present, past].map(({ connectionId }) => connectionId).toSorted()
    const withCredentials = async (after: string, limit: number) =>
      (await lockConnectionsWithCredentials(database, instanceId, after, limit)).map(({ id }) => id)
    expect([await withCredentials(FIRST_ID, 9), await withCredentials(FIRST_ID, 1), await withCredentials(ids[0] ?? '', 9)]).toEqual([
      ids,
      ids.slice(0, 1),
      ids.slice(1),
    ])
    const all = [...ids, books.connectionId].toSorted()
    expect(await listConnectionIds(database, instanceId, null, 9)).toEqual(all)
    expect(await listConnectionIds(database, instanceId, all[0] ?? null, 1)).toEqual(all.slice(1, 2))
    expect(await listConnectionIds(database, instanceId, all[2] ?? null, 9)).toEqual([])
  })

  it('has jobs that wait and run, and its jobs of a kind are deleted', async () => {
    const { instanceId } = books
    await database.query('delete from jobs')
    for (const [of, kind, state] of [
      [instanceId, 'sync', 'ready'],
      [instanceId, 'sync', 'running'],
      [instanceId, 'sync', 'dead'],
      [instanceId, 'mail', 'ready'],
      [instanceId, 'other', 'ready'],
      [neighbour.instanceId, 'sync', 'ready'],
    ])
      await database.query(`insert into jobs (instance_id, kind, key, payload, state) values ($1, $2, gen_random_uuid(), '{}', $3)`, [
        of,
        kind,
        state,
      ])
    expect([await countJobs(database, instanceId, ['sync', 'mail']), await countJobs(database, instanceId, ['none'])]).toEqual([3, 0])
    expect([await deleteJobs(database, instanceId, 'sync'), await deleteJobs(database, instanceId, 'sync')]).toEqual([3, 0])
    expect((await database.query('select kind from jobs order by kind')).rows).toEqual(['mail', 'other', 'sync'].map((kind) => ({ kind })))
  })

  it('has rows that are deleted in the order of an index, each step from where the last one ended', async () => {
    const tables = await listInstanceTables(database)
    const tableOf = (name: string) => {
      const found = tables.find((table) => table.name === name)
      if (!found) throw new Error(`no table ${name}`)
      return found
    }
    expect(tableOf('company_texts').key.map(({ name }) => name)).toEqual(['field', 'part', 'company_id'])
    // Not its primary key, which begins with something else.
    expect(tableOf('publications').key.map(({ name }) => name)).toEqual(['company_id', 'service_id'])
    expect(tableOf('jobs').key).toEqual([])
    const { instanceId, companyId } = books
    const add = async (field: string, part: string, of = instanceId) =>
      await database.query('insert into company_texts (instance_id, field, part, company_id) values ($1, $2, $3, $4)', [
        of,
        field,
        part,
        companyId,
      ])
    await database.query('delete from company_texts')
    for (const part of ['b', 'c', 'é', 'z']) await add('e', part)
    await add('n', 'a')
    await add('e', 'c', neighbour.instanceId)
    const left = async () =>
      (
        await database.query<{ text: string }>(
          `select field::text || part as text from company_texts where instance_id = $1 order by field, part`,
          [instanceId],
        )
      ).rows.map(({ text }) => text)
    const step = (after: RowKey | null) =>
      inTransaction(database, (db) => deleteInstanceRows(db, tableOf('company_texts'), instanceId, 2, after))
    const first = await step(null)
    expect([first, await left()]).toEqual([{ deleted: 2, next: ['e', 'c', companyId] }, ['ez', 'eé', 'na']])
    await add('e', 'a')
    const second = await step(first.next)
    expect([second, await left()]).toEqual([{ deleted: 2, next: ['e', 'é', companyId] }, ['ea', 'na']])
    expect([await step(second.next), await left()]).toEqual([{ deleted: 1, next: null }, ['ea']])
    expect([await step(null), await left()]).toEqual([{ deleted: 1, next: null }, []])
    expect((await database.query('select from company_texts')).rowCount).toBe(1)
  })

  it('is deleted last', async () => {
    const id = await addInstance(database)
    await deleteInstance(database, id)
    const { rows } = await database.query('select id from instances where id = any($1)', [[id, books.instanceId]])
    expect(rows).toEqual([{ id: books.instanceId }])
  })
})
