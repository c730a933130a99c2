import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { AT, addBooks, addPublication, type Books, storeForTests } from '../../../test/records/record-store.ts'
import { insertReplication, rewindReplication } from '../changes/replications.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { beginDelivery, findDelivery, writeDeliveryState } from './deliveries.ts'
import {
  type DestinationTarget,
  deleteDestination,
  destinationContext,
  findDestination,
  insertDestination,
  listDestinations,
} from './destinations.ts'
import { insertExport, type NewExport } from './exports.ts'
import { type ErasedData, listLeftBehind, listUnreached } from './unreached.ts'

const test = storeForTests(false)
let database: Database
let books: Books
let instanceId = ''
beforeEach(async () => {
  database = test.database
  await database.query('delete from jobs')
  books = await addBooks(database)
  instanceId = books.instanceId
  await addPublication(database, books)
})

const S3 = { kind: 's3', endpoint: 'https://s3.example', region: 'ca', bucket: 'b', prefix: 'p/', accessKeyId: 'k' } as const
const SFTP = { kind: 'sftp', host: 'files.example', port: 22, user: 'u', hostKey: 'SHA256:x', path: '/in', authentication: 'key' } as const
const POSTGRES = {
  kind: 'postgres',
  host: '::1',
  port: 5432,
  database: 'd',
  user: 'u',
  schema: 's',
  tls: 'off',
  certificateAuthority: null,
} as const

const add = async (target: DestinationTarget, name = 'd', most = 99) => {
  const head = { instanceId, id: randomUUID(), name, secret: Buffer.from(name) }
  const isAdded = await insertDestination(database, head, target, most)
  return { ...head, isAdded }
}

describe('a destination', () => {
  it.each([S3, SFTP, POSTGRES])('of the kind $kind is found as it was stored, in its instance', async (target) => {
    const { isAdded, ...head } = await add(target, 'name')
    expect([isAdded, await findDestination(database, head)]).toEqual([true, { ...head, ...target, createdAt: expect.any(Date) }])
    expect(await findDestination(database, { ...head, instanceId: randomUUID() })).toBe(null)
    expect(destinationContext(head)).toEqual({ instanceId, table: 'export_destinations', rowId: head.id, column: 'secret' })
  })

  it('has the columns of a bucket, or the settings of another kind', async () => {
    await add(SFTP)
    await add(S3)
    const { rows } = await database.query(
      `select endpoint || region || bucket || prefix || access_key_id as bucket, settings from export_destinations
       where instance_id = $1 order by created_at`,
      [instanceId],
    )
    expect(rows).toEqual([
      { bucket: '', settings: SFTP },
      { bucket: 'https://s3.examplecabp/k', settings: {} },
    ])
  })

  it('is one of a limited number, and they are listed oldest first', async () => {
    const foreign = await addBooks(database)
    await insertDestination(database, { instanceId: foreign.instanceId, id: randomUUID(), name: 'f', secret: Buffer.alloc(1) }, S3, 9)
    const [one, two, three] = [await add(S3, 'one', 2), await add(SFTP, 'two', 2), await add(S3, 'three', 2)]
    expect([one.isAdded, two.isAdded, three.isAdded]).toEqual([true, true, false])
    await database.query(`update export_destinations set created_at = created_at - interval '1 day' where id = $1`, [two.id])
    expect((await listDestinations(database, instanceId)).map(({ name }) => name)).toEqual(['two', 'one'])
  })

  const remove = (key: { instanceId: string; id: string }) => inTransaction(database, (db) => deleteDestination(db, key))

  it('that is unused is deleted, in its instance', async () => {
    const [one, two] = [await add(S3), await add(S3)]
    expect([await remove({ ...one, instanceId: randomUUID() }), await remove(one), await remove(one)]).toEqual([
      'unknown',
      'deleted',
      'unknown',
    ])
    expect((await listDestinations(database, instanceId)).map(({ id }) => id)).toEqual([two.id])
  })

  it.each([
    ['a waiting delivery that has not begun', 'waiting', null, 'none', 'deleted'],
    ['a waiting upload', 'waiting', 'u', 'none', 'busy'],
    ['a failed upload', 'failed', 'u', 'none', 'busy'],
    ['an object that may be there', 'failed', null, 'unknown', 'busy'],
    ['an object that is there', 'failed', null, 'there', 'deleted'],
    ['an object that was delivered', 'delivered', 'u', 'unknown', 'deleted'],
  ])('with %s: %5$s', async (_which, state, uploadId, presence, expected) => {
    const [destination, other] = [await add(S3), await add(S3)]
    const key = await newExport()
    await deliver(key, destination.id)
    await database.query('delete from jobs')
    await database.query('update export_deliveries set state = $1, upload_id = $2, presence = $3', [state, uploadId, presence])
    expect([await remove(destination), await remove(other)]).toEqual([expected, 'deleted'])
    const isThere = expected === 'busy'
    expect([(await findDestination(database, destination)) !== null, (await findDelivery(database, key)) !== null]).toEqual([
      isThere,
      isThere,
    ])
  })

  it.each([
    ['deliverExport', 'ready', 'deleted'],
    ['deliverExport', 'running', 'busy'],
    ['removeDelivered', 'ready', 'busy'],
    ['removeDelivered', 'dead', 'deleted'],
    ['emptyReplica', 'ready', 'busy'],
    ['emptyReplica', 'running', 'busy'],
    ['eraseDelivered', 'ready', 'busy'],
    ['abortUpload', 'running', 'busy'],
    ['abortUpload', 'dead', 'deleted'],
    ['sync', 'running', 'deleted'],
  ])('with a job of the kind %s that is %s: %s', async (kind, state, expected) => {
    const [destination, other] = [await add(S3), await add(S3)]
    await job(kind, state, { destinationId: destination.id })
    expect([await remove(destination), await remove(other)]).toEqual([expected, 'deleted'])
  })
})

const job = async (kind: string, state: string, payload: object, error: string | null = null) =>
  await database.query(`insert into jobs (instance_id, kind, key, payload, state, error) values ($1, $2, gen_random_uuid(), $3, $4, $5)`, [
    instanceId,
    kind,
    JSON.stringify(payload),
    state,
    error,
  ])

async function newExport(of = books): Promise<NewExport> {
  const key: NewExport = {
    ...{ instanceId, id: randomUUID(), companyId: of.companyId, category: 'Banking', entity: 'Accounts', format: 'csv', requestedBy: 'a' },
  }
  await inTransaction(database, (db) => insertExport(db, key))
  return key
}

async function deliver(key: NewExport, destinationId: string): Promise<void> {
  await inTransaction(database, (db) => beginDelivery(db, key, destinationId, 'object'))
}

describe('what is left at destinations after an erasure', () => {
  const of = (databases: ErasedData['databases'] = 'all'): ErasedData => ({
    companyId: books.companyId,
    serviceId: books.serviceId,
    databases,
  })

  it('is what a delivery, a job or a replicated database says, oldest destination first', async () => {
    const [bucket, server, base] = [await add(S3, 'bucket'), await add(SFTP, 'server'), await add(POSTGRES, 'base')]
    await add(S3, 'unused')
    const other = await addBooks(database, { instanceId })
    await addPublication(database, other)
    const [key, elsewhere] = [await newExport(), await newExport(other)]
    for (const each of [key, elsewhere]) {
      await deliver(each, bucket.id)
      await writeDeliveryState(database, { ...each, destinationId: bucket.id }, { state: 'unreached', error: 'refused' })
    }
    await database.query('delete from jobs')
    await job('removeDelivered', 'ready', { destinationId: server.id, exportId: key.id }, 'timed out')
    await job('removeDelivered', 'dead', { destinationId: server.id, exportId: elsewhere.id }, 'x')
    await job('sync', 'ready', { destinationId: server.id, exportId: key.id })
    await insertReplication(database, base)
    await rewindReplication(database, base, null)
    const left = <Rest extends object>(name: string, kind: string, place: string, rest: Rest) => ({ name, kind, place, ...rest })
    const whole = [
      left('bucket', 's3', 'https://s3.example/b/p/', { files: 1, rows: false, reason: 'refused', isPending: false }),
      left('server', 'sftp', 'sftp://files.example:22/in', { files: 1, rows: false, reason: 'timed out', isPending: true }),
      left('base', 'postgres', 'postgres://[::1]:5432/d/s', { files: 0, rows: true, reason: null, isPending: true }),
    ]
    expect(await listLeftBehind(database, instanceId, of())).toEqual(whole)
    // Of a whole instance everything counts.
    expect((await listLeftBehind(database, instanceId, null)).map(({ name, files, isPending }) => [name, files, isPending])).toEqual([
      ['bucket', 2, false],
      ['server', 2, true],
      ['base', 0, true],
    ])
    expect(await listUnreached(database, instanceId, of())).toEqual(whole.map(({ isPending: _, ...each }) => each))
    expect((await listUnreached(database, instanceId)).map(({ name }) => name)).toEqual(['bucket', 'server', 'base'])
    expect(await listLeftBehind(database, (await addBooks(database)).instanceId, null)).toEqual([])
    expect((await listLeftBehind(database, instanceId, { ...of(), serviceId: null })).map(({ files }) => files)).toEqual([1, 1, 0])
    expect((await listLeftBehind(database, instanceId, { ...of(), serviceId: randomUUID() })).map(({ name }) => name)).toEqual(['base'])
  })

  it.each([
    ['that nobody wrote to', {}, [false, false]],
    ['that is behind', { token: true, position: 4 }, [true, true]],
    ['that has come so far', { token: true, position: 5 }, [true, false]],
    ['that still reads everything', { token: true, position: 9, isStarting: true }, [true, true]],
    ['that was rewound', { pass: 2, position: 9 }, [true, false]],
    ['at whose first position something is written', { next: true }, [true, true]],
  ])(
    'a database %s',
    async (_which, given: { token?: boolean; next?: boolean; pass?: number; position?: number; isStarting?: boolean }, expected) => {
      const base = await add({ ...POSTGRES, host: 'db.example' }, 'base')
      await insertReplication(database, base)
      const position =
        given.position === undefined ? null : JSON.stringify({ position: String(given.position), isStarting: given.isStarting ?? false })
      await database.query(
        'update export_replications set pass = $2, token = $3, next_token = $4, position = $5 where destination_id = $1',
        [...[base.id, given.pass ?? 1, given.token ? randomUUID() : null, given.next ? randomUUID() : null, position]],
      )
      await database.query(
        `insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind, placed_at) values ($1, 5, $2, $3, $4, 'none', $5)`,
        [instanceId, books.companyId, books.serviceId, books.connectionId, AT],
      )
      const holds = async (databases: ErasedData['databases']) => (await listLeftBehind(database, instanceId, of(databases))).length === 1
      expect([await holds('all'), await holds('behind')]).toEqual(expected)
      expect(await listLeftBehind(database, instanceId, null)).toEqual([
        expect.objectContaining({ place: 'postgres://db.example:5432/d/s', rows: true }),
      ])
    },
  )
})
