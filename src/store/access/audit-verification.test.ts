import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { countWaiting } from '../../../test/harness/while-open.ts'
import { until } from '../../../test/process/deadline.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { recordAudit } from './audit.ts'
import { entryHash } from './audit-chain.ts'
import { verifyAudit, verifyAudits } from './audit-verification.ts'

const ENTRIES = 10_000

describe(`a chain of ${ENTRIES} entries`, () => {
  const made = databaseForTests()
  const key = randomBytes(32)
  const instanceId = randomUUID()
  beforeAll(async () => {
    const start = Date.parse('2026-11-20T12:00:00Z')
    await inTransaction(made.database, async (db) => {
      for (let index = 1; index <= ENTRIES; index += 1) {
        const entry = { instanceId, action: 'company.created', userId: null, subject: `company/${index}`, network: '192.0.2.7' }
        await recordAudit(db, key, entry, new Date(start + index))
      }
    })
    await made.database.query('create table entries_before as table audit_entries')
    await made.database.query('create table chains_before as table audit_chains')
  }, 120_000)

  /** Result of verification after a statement that only a superuser may run; everything is restored afterwards. */
  async function verifyAfter(statement: string, values: unknown[] = []): Promise<{ position: number } | null> {
    const run = (work: [string, unknown[]?][]) =>
      inTransaction(made.database, async (db) => {
        await db.query('alter table audit_entries disable trigger all')
        for (const [text, given] of work) await db.query(text, given)
        await db.query('alter table audit_entries enable trigger all')
      })
    await run([[statement, values]])
    const { faults } = await verifyAudits(made.database, [key])
    const back = ['delete from audit_entries', 'insert into audit_entries table entries_before']
    await run([...back, 'delete from audit_chains', 'insert into audit_chains table chains_before'].map((text) => [text]))
    return faults[0] ? { position: faults[0].position } : null
  }
  const anywhere = () => 1 + Math.floor(Math.random() * ENTRIES)

  it('verifies as it was written', async () => {
    expect(await verifyAudit(made.database, [key], instanceId)).toBeNull()
    expect(await verifyAfter('select 1')).toBeNull()
  })

  it.each(Array.from({ length: 12 }, anywhere))('shows one changed character of the entry at %i', async (position) => {
    const change = `update audit_entries set entry = overlay(entry placing chr(ascii(substr(entry, 1 + $2 % length(entry), 1)) # 1)
      from 1 + $2 % length(entry) for 1) where position = $1`
    expect(await verifyAfter(change, [position, Math.floor(Math.random() * 1_000)])).toEqual({ position })
  })

  it.each(Array.from({ length: 12 }, anywhere))('shows one changed bit of the hash at %i', async (position) => {
    const change = 'update audit_entries set hash = set_bit(hash, $2, 1 - get_bit(hash, $2)) where position = $1'
    expect(await verifyAfter(change, [position, Math.floor(Math.random() * 256)])).toEqual({ position })
  })

  it.each(['1 microsecond', '1 millisecond', '-1 hour', '1 year'])('shows a time that was moved by %s', async (by) => {
    const position = anywhere()
    expect(await verifyAfter('update audit_entries set at = at + $2::interval where position = $1', [position, by])).toEqual({ position })
  })

  it('shows an entry that is missing, and two that were exchanged', async () => {
    const position = Math.min(anywhere(), ENTRIES - 1)
    expect(await verifyAfter('delete from audit_entries where position = $1', [position])).toEqual({ position })
    const exchange = `update audit_entries a set (at, entry, hash) = (select at, entry, hash from entries_before b
      where b.position = case a.position when $1::bigint then $1::bigint + 1 else $1::bigint end) where a.position in ($1::bigint, $1::bigint + 1)`
    expect(await verifyAfter(exchange, [position])).toEqual({ position })
  })

  it.each([
    ['a position that was changed', 'update audit_entries set position = 20000 where position = 70', 70],
    [
      'an entry that was added',
      `insert into audit_entries select instance_id, ${ENTRIES} + 1, at, entry, hash from entries_before where position = 1`,
      ENTRIES + 1,
    ],
    ['a tail that was cut off', `delete from audit_entries where position > ${ENTRIES - 5}`, ENTRIES - 4],
    [
      'a tail that was cut off with the head set back',
      `with gone as (delete from audit_entries where position > 9000), kept as (select hash from entries_before where position = 9000)
       update audit_chains set position = 9000, hash = kept.hash from kept`,
      9000,
    ],
    [
      'the same with the place of the seal',
      `with gone as (delete from audit_entries where position > 9000), kept as (select hash from entries_before where position = 9000)
       update audit_chains set position = 9000, sealed_position = 9000, hash = kept.hash from kept`,
      9000,
    ],
    [
      'the same without a seal',
      `with gone as (delete from audit_entries where position > 9000), kept as (select hash from entries_before where position = 9000)
       update audit_chains set position = 9000, sealed_position = null, head_hash = null, hash = kept.hash from kept`,
      9000,
    ],
    ['a head that is gone', 'delete from audit_chains', 1],
    ['a head that was changed', 'update audit_chains set hash = set_bit(hash, 7, 1 - get_bit(hash, 7))', ENTRIES],
    ['a seal that was changed', 'update audit_chains set head_hash = set_bit(head_hash, 7, 1 - get_bit(head_hash, 7))', ENTRIES],
    ['a start that was changed', 'update audit_chains set start_hash = set_bit(start_hash, 7, 1 - get_bit(start_hash, 7))', 1],
    [
      'entries that were given to another chain',
      `update audit_entries set instance_id = gen_random_uuid() where position > ${ENTRIES - 5}`,
      null,
    ],
  ])('shows %s', async (_what, statement, position) => {
    const found = await verifyAfter(statement)
    expect(found).toEqual(position === null ? expect.anything() : { position })
  })
})

describe('entries of an earlier release, which seals no head,', () => {
  it('verify before, between and after those of this one', async () => {
    const made = await testDatabase()
    const key = randomBytes(32)
    const instanceId = randomUUID()
    const at = new Date('2026-11-20T12:00:00Z')
    const writeAsBefore = async () => {
      const { rows } = await made.database.query<{ position: string; hash: Uint8Array }>(
        `insert into audit_chains (instance_id, position, hash, start_hash) values ($1, 0, $2, $2)
         on conflict (instance_id) do update set position = audit_chains.position returning position, hash`,
        [instanceId, Buffer.alloc(32)],
      )
      const [head] = rows
      const position = Number(head?.position) + 1
      const text = JSON.stringify({ action: 'user.created', userId: null, subject: 'user/1' })
      const hash = entryHash(key, { previous: head?.hash ?? Buffer.alloc(32), chain: instanceId, position, at, text })
      await made.database.query('insert into audit_entries values ($1, $2, $3, $4, $5)', [instanceId, position, at, text, hash])
      await made.database.query('update audit_chains set position = $2, hash = $3 where instance_id = $1', [instanceId, position, hash])
    }
    const write = () =>
      inTransaction(made.database, (db) => recordAudit(db, key, { instanceId, action: 'user.created', userId: null, subject: null }, at))
    const found: unknown[] = []
    for (const step of [writeAsBefore, writeAsBefore, write, writeAsBefore, write]) {
      await step()
      found.push(await verifyAudit(made.database, [key], instanceId))
    }
    await made.drop()
    expect(found).toEqual([null, null, null, null, null])
  })
})

it('a chain to which an entry is added meanwhile is verified as of one time', async () => {
  const { database, drop } = await testDatabase()
  const [key, instanceId] = [randomBytes(32), randomUUID()]
  const add = (db: Db, subject: string) => recordAudit(db, key, { instanceId, action: 'user.created', userId: null, subject }, new Date())
  await inTransaction(database, (db) => add(db, 'user/1'))
  const verifying = Promise.withResolvers<unknown>()
  await inTransaction(database, async (db) => {
    await db.query('lock table audit_entries in access exclusive mode')
    verifyAudit(database, [key], instanceId).then(verifying.resolve, verifying.reject)
    // The end of the chain has been read, and its entries are waited for.
    await until('the verification waits', async () => (await countWaiting(database)) > 0 || null)
    await add(db, 'user/2')
  })
  expect(await verifying.promise).toBeNull()
  await drop()
})
