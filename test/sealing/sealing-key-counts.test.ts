import { beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../../src/store/db/database.ts'
import { areKeysOf } from '../../src/store/keys/key-fingerprints.ts'
import { SEALED_COLUMNS, type SealedColumn, toContext } from '../../src/store/keys/sealed-columns.ts'
import { listSealedValues } from '../../src/store/keys/sealed-values.ts'
import { countSealed, findMissingSealingKeys, sealedCounter } from '../../src/store/keys/sealing-key-counts.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'

const INSTANCE = '00000000-0000-4000-8000-000000000001'
const [OLD, NEW] = ['00000000000000aa', '00000000000000bb'] as const

const test = databaseForTests()
const column = (table: string): SealedColumn => {
  const found = SEALED_COLUMNS.find((one) => one.table === table)
  if (!found) throw new Error(`no sealed column of ${table}`)
  return found
}

async function addMails(count: number, keyId: string, bytes = 100): Promise<void> {
  await test.database.query(
    `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, sealed)
     select $1, gen_random_uuid(), 'x', '\\x00', 'a', '\\x01'::bytea || decode($2, 'hex') || decode(repeat('00', $3 - 9), 'hex')
     from generate_series(1, $4)`,
    [INSTANCE, keyId, bytes, count],
  )
}

async function addOperator(keyId: string): Promise<void> {
  await test.database.query(
    `insert into operators (id, email, name, created_at, two_step_secret, two_step_started_at)
     values (gen_random_uuid(), gen_random_uuid() || '@maple.example', 'Avery', now(),
       '\\x01'::bytea || decode($1, 'hex') || decode(repeat('00', 91), 'hex'), now())`,
    [keyId],
  )
}

beforeAll(async () => {
  await test.database.query(`insert into instances (id, name) values ($1, 'Maple Lending')`, [INSTANCE])
})

describe('sealed values', () => {
  it('of a new deployment are none, and any keys are its own', async () => {
    expect(await sealedCounter(test.database)()).toEqual([])
    expect([await countSealed(test.database), await findMissingSealingKeys(test.database, await testKeys())]).toEqual([[], []])
    expect(await areKeysOf(test.database, await testKeys())).toBe(true)
  })

  it('are counted by table and key, at once where they are few, and as of the last complete walk where they are many', async () => {
    const count = sealedCounter(test.database)
    await addMails(2_500, OLD)
    await addMails(10, NEW)
    await addOperator(NEW)
    const sorted = (counts: Awaited<ReturnType<typeof count>>) => counts?.toSorted((a, b) => (a.table + a.key < b.table + b.key ? -1 : 1))
    const few = [
      { table: 'mails', key: OLD, count: 2_500 },
      { table: 'mails', key: NEW, count: 10 },
      { table: 'operators', key: NEW, count: 1 },
    ]
    expect(sorted(await count())).toEqual(few)
    expect(sorted(await count()), 'a second walk begins at none').toEqual(few)
    expect(sorted(await countSealed(test.database))).toEqual(few)
    await addMails(7_600, NEW)
    const walking = sealedCounter(test.database)
    expect(await walking()).toBe(null)
    expect(sorted(await walking())).toEqual([few[0], { ...few[1], count: 7_610 }, few[2]])
    expect(sorted(await count()), 'those before, until the walk is complete').toEqual(few)
    expect(sorted(await count())).toEqual([few[0], { ...few[1], count: 7_610 }, few[2]])
  })

  it('are counted by a bounded number of statements, each of a bounded number of rows', async () => {
    const { database } = test
    const limits: unknown[] = []
    const query = async (text: string, values: unknown[]) => {
      limits.push(values[2])
      return await database.query(text, values)
    }
    await database.query('delete from mails')
    await addMails(2_500, OLD)
    const counted: Db = Object.assign(Object.create(database), { query })
    await sealedCounter(counted)()
    expect(limits).toEqual(Array.from({ length: SEALED_COLUMNS.length + 2 }, () => 1_000))
  })

  it('name the keys that are missing', async () => {
    await addMails(1, NEW)
    const sealing = { find: (id: string) => (id === NEW ? { id, bytes: Buffer.alloc(32) } : undefined) }
    const keys = await testKeys()
    expect((await findMissingSealingKeys(test.database, keys)).sort()).toEqual([OLD, NEW])
    expect(await findMissingSealingKeys(test.database, { sealing: Object.assign(keys.sealing, sealing) })).toEqual([OLD])
  })

  it('are listed each once, in batches of rows and of bytes', async () => {
    await test.database.query('delete from mails')
    await addMails(1_001, OLD)
    await addMails(3, NEW, 5 * 1024 * 1024)
    const lengths = new Map<number, number>()
    const ids = new Set<string>()
    for await (const { context, sealed, object } of listSealedValues(test.database, column('mails'))) {
      lengths.set(sealed.length, (lengths.get(sealed.length) ?? 0) + 1)
      ids.add(context.rowId)
      expect([object, context.table, context.column, context.instanceId, 'generation' in context]).toEqual([
        ...[null, 'mails', 'sealed', INSTANCE, false],
      ])
    }
    expect([ids.size, [...lengths].sort((a, b) => a[0] - b[0])]).toEqual([
      1_004,
      [
        [100, 1_001],
        [5 * 1024 * 1024, 3],
      ],
    ])
  })

  it('are bound to their row and generation, and only those of pages lie in objects', () => {
    const row = { instanceId: INSTANCE, rowId: 'r', generation: 3 }
    expect(toContext(column('connections'), row)).toEqual({ ...row, table: 'connections', column: 'credentials' })
    expect(SEALED_COLUMNS.filter(({ object }) => object !== null).map(({ table }) => table)).toEqual(['raw_pages'])
    expect(SEALED_COLUMNS.filter(({ generation }) => generation !== null).map(({ table }) => table)).toEqual([
      'connections',
      'credential_versions',
      'source_keys',
    ])
  })
})
