import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { openPostgres, type PostgresConnection, PostgresRefused } from '../../src/egress/postgres.ts'
import type { Batch } from '../../src/sync/replication/batch.ts'
import { TABLES } from '../../src/sync/replication/tables.ts'
import {
  emptyTarget,
  markCurrent,
  prepareTarget,
  type Step,
  type Target,
  TargetMoved,
  writeStep,
} from '../../src/sync/replication/target.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openTargetDatabase } from './harness.ts'

const customer = openForTests(openTargetDatabase, (opened) => opened.drop())
const db = openForTests<PostgresConnection>(() => {
  const { port, user, name: database } = customer
  return openPostgres({ host: '127.0.0.1', port, database, user, tls: 'off', certificateAuthority: null }, 'x', true)
})
const query = async (text: string, values: unknown[] = []) => (await customer.database.query(text, values)).rows

let target: Target
beforeEach(() => {
  // A name that only quotes make one.
  target = { destinationId: randomUUID(), schema: `Cust "${randomUUID().slice(0, 8)}"` }
})
const quoted = () => `"${target.schema.replaceAll('"', '""')}"`
const state = async () =>
  await query(`select destination_id as id, token, pass, current_on is not null as "isCurrent" from ${quoted()}.countinghouse_state`)
const [C1, C2, S1, S2, K1, K2] = Array.from({ length: 6 }, () => randomUUID())
const [A, B] = [randomUUID(), randomUUID()]

interface Row {
  companyId: string | undefined
  serviceId: string | undefined
  id: string
  sessionId?: string | undefined
  publishedOn?: string
  record?: object | string
}
const printed = (rows: readonly Row[]) =>
  rows.length === 0
    ? ''
    : `[${rows.map(({ record, ...head }) => `${JSON.stringify(head).slice(0, -1)},"record":${typeof record === 'string' ? record : JSON.stringify(record ?? {})}}`).join(',')}]`
const row = (companyId: string | undefined, serviceId: string | undefined, id: string, record: object | string = {}): Row => ({
  ...{ companyId, serviceId, id, record, sessionId: K1, publishedOn: '2026-03-01T12:00:00.123456Z' },
})
function batch(of: { cleared?: object[]; upserts?: Row[]; deletes?: Row[]; table?: string }): Batch {
  const { cleared = [], upserts = [], deletes = [], table = 'banking_accounts' } = of
  return {
    cleared: cleared.length === 0 ? '' : JSON.stringify(cleared),
    tables: TABLES.map((each) => ({
      table: each,
      upserts: each.name === table ? printed(upserts) : '',
      deletes: each.name === table ? printed(deletes) : '',
    })),
  }
}
let token: string | null
async function write(of: Parameters<typeof batch>[0], more: Partial<Step> = {}): Promise<void> {
  const step = { batch: batch(of), pass: 1, before: token, token: randomUUID(), isSweep: false, isCurrent: false, ...more }
  await writeStep(db, target, step)
  token = step.token
}
const keys = async (table = 'banking_accounts') =>
  (await query(`select company_id as company, service_id as service, id from ${quoted()}.${table}`))
    .map(({ company, service, id }) => `${company}/${service}/${id}`)
    .sort()
const key = (...parts: (string | undefined)[]) => parts.join('/')

describe('the tables of a target', () => {
  const columnsOf = async (table: string) =>
    Object.fromEntries(
      (
        await query(
          'select column_name as name, data_type as type from information_schema.columns where table_schema = $1 and table_name = $2',
          [target.schema, table],
        )
      ).map(({ name, type }) => [name, type]),
    )

  it('are made once, with a column for each property, and a state that knows nothing', async () => {
    expect(await prepareTarget(db, target)).toEqual({ token: null })
    expect(await state()).toEqual([{ id: target.destinationId, token: null, pass: 0, isCurrent: false }])
    const types = new Map([['timestamptz', 'timestamp with time zone']])
    for (const { name, columns } of TABLES) {
      expect(await columnsOf(name)).toEqual({
        ...{ company_id: 'uuid', service_id: 'uuid', id: 'uuid', session_id: 'uuid', pass: 'integer' },
        published_on: 'timestamp with time zone',
        ...Object.fromEntries(columns.map((column) => [column.name, types.get(column.type) ?? column.type])),
      })
    }
    expect(await columnsOf('banking_accounts')).toMatchObject({
      ...{ actual_balance: 'numeric', account_name: 'text', service_name: 'text', last_updated_on: 'timestamp with time zone' },
    })
    await write({ upserts: [row(C1, S1, A)] }, { before: null })
    expect([await prepareTarget(db, target), await keys()]).toEqual([{ token }, [key(C1, S1, A)]])
  })

  it('are in a schema that the customer may have made', async () => {
    await query(`create schema ${quoted()}`)
    await query(`create table ${quoted()}.of_theirs (a int)`)
    expect(await prepareTarget(db, target)).toEqual({ token: null })
    expect(await columnsOf('of_theirs')).toEqual({ a: 'integer' })
  })

  it('are not made beside a table of such a name that is not ours', async () => {
    await query(`create schema ${quoted()}; create table ${quoted()}.banking_accounts (a int)`)
    await expect(prepareTarget(db, target)).rejects.toThrow('The schema has tables of these names that are not from here.')
    expect([await columnsOf('banking_accounts'), await columnsOf('countinghouse_state')]).toEqual([{ a: 'integer' }, {}])
  })

  it('are not those of another destination', async () => {
    await prepareTarget(db, target)
    const other = { ...target, destinationId: randomUUID() }
    await expect(prepareTarget(db, other)).rejects.toThrow('The schema belongs to another destination.')
    expect(await state()).toMatchObject([{ id: target.destinationId }])
  })

  it.each([
    ['a column was dropped', 'alter table SCHEMA.banking_accounts drop column actual_balance'],
    ['a table was dropped', 'drop table SCHEMA.banking_transactions'],
  ])('are made whole when %s, and what is in them is no longer known', async (_what, change) => {
    await prepareTarget(db, target)
    token = null
    await write({ upserts: [row(C1, S1, A)] })
    await query(change.replace('SCHEMA', quoted()))
    expect(await prepareTarget(db, target)).toEqual({ token: null })
    expect(await state()).toMatchObject([{ token: null, pass: 1 }])
    expect(await columnsOf('banking_accounts')).toHaveProperty('actual_balance')
    expect(await columnsOf('banking_transactions')).toHaveProperty('id')
  })

  it('whose state was deleted are known to nobody', async () => {
    await prepareTarget(db, target)
    await query(`delete from ${quoted()}.countinghouse_state`)
    expect(await prepareTarget(db, target)).toEqual({ token: null })
    expect(await state()).toEqual([{ id: target.destinationId, token: null, pass: 0, isCurrent: false }])
  })

  it('get the columns of a later version without beginning again', async () => {
    await prepareTarget(db, target)
    token = null
    await query(`drop table ${quoted()}.banking_accounts`)
    await query(
      `create table ${quoted()}.banking_accounts (company_id uuid, service_id uuid, id uuid, session_id uuid, published_on timestamptz, pass integer,
         primary key (company_id, service_id, id))`,
    )
    await write({ upserts: [] })
    expect(await prepareTarget(db, target)).toEqual({ token })
    expect(await columnsOf('banking_accounts')).toHaveProperty('actual_balance', 'numeric')
  })

  it('are used with names of PostgreSQL’s own, in UTC, and with limits', async () => {
    await prepareTarget(db, target)
    const settings = ['search_path', 'TimeZone', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    const { rows } = await db.query(`select ${settings.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`)
    expect(rows).toEqual([
      {
        ...{ search_path: 'pg_catalog', TimeZone: 'UTC', statement_timeout: '5min', lock_timeout: '30s' },
        idle_in_transaction_session_timeout: '1min',
      },
    ])
  })
})

describe('a step', () => {
  beforeEach(async () => {
    await prepareTarget(db, target)
    token = null
  })

  it('writes rows with every digit, and writes over them', async () => {
    const before = '{"accountName":"Old","actualBalance":-12345678901234567890.123456789,"currency":"CAD"}'
    await write({ upserts: [row(C1, S1, A, before)] })
    const read = async () =>
      await query(
        `select session_id as session, pass, account_name as name, actual_balance::text as balance, currency, published_on::text as on from ${quoted()}.banking_accounts`,
      )
    expect(await read()).toMatchObject([
      {
        session: K1,
        pass: 1,
        name: 'Old',
        balance: '-12345678901234567890.123456789',
        currency: 'CAD',
        on: expect.stringContaining('.123456'),
      },
    ])
    const after: Row = { ...row(C1, S1, A, { accountName: 'New', actualBalance: 1 }), sessionId: K2, publishedOn: '2027-01-01T00:00:00Z' }
    await write({ upserts: [after] }, { pass: 2 })
    expect(await read()).toMatchObject([
      { session: K2, pass: 2, name: 'New', balance: '1', currency: null, on: expect.stringMatching(/^202[67]-/) },
    ])
  })

  it('deletes the record alone, not its namesakes at other services and companies', async () => {
    await write({ upserts: [row(C1, S1, A), row(C1, S2, A), row(C2, S1, A), row(C1, S1, B)] })
    await write({ deletes: [row(C1, S1, A)] })
    expect(await keys()).toEqual([key(C1, S2, A), key(C2, S1, A), key(C1, S1, B)].sort())
  })

  it('clears a company at one service in every table, and writes what came after', async () => {
    for (const { name } of TABLES) await write({ table: name, upserts: [row(C1, S1, A), row(C1, S2, A), row(C2, S1, A)] })
    await write({ cleared: [{ companyId: C1, serviceId: S1 }], upserts: [row(C1, S1, B)] })
    const left = [key(C1, S2, A), key(C2, S1, A)]
    for (const { name } of TABLES) expect(await keys(name)).toEqual((name === 'banking_accounts' ? [...left, key(C1, S1, B)] : left).sort())
  })

  it('deletes rows of earlier passes when this pass has seen all, and only then', async () => {
    for (const { name } of TABLES) await write({ table: name, upserts: [row(C1, S1, A), row(C1, S1, B)] })
    await write({ upserts: [row(C1, S1, A)] }, { pass: 2 })
    expect(await keys()).toHaveLength(2)
    await write({}, { pass: 2, isSweep: true })
    expect(await Promise.all(TABLES.map(async ({ name }) => [name, await keys(name)]))).toEqual(
      TABLES.map(({ name }) => [name, name === 'banking_accounts' ? [key(C1, S1, A)] : []]),
    )
  })

  it('says when all that is published is there', async () => {
    await write({ upserts: [row(C1, S1, A)] }, { pass: 3 })
    expect(await state()).toEqual([{ id: target.destinationId, token, pass: 3, isCurrent: false }])
    await write({}, { pass: 3, isCurrent: true })
    const [first] = await query(`select current_on as at from ${quoted()}.countinghouse_state`)
    await write({}, { pass: 3 })
    expect(await query(`select current_on as at from ${quoted()}.countinghouse_state`)).toEqual([first])
    await markCurrent(db, target)
    const [later] = await query(`select current_on as at, token from ${quoted()}.countinghouse_state`)
    expect([later.at > first.at, later.token]).toEqual([true, token])
  })

  it.each([
    ['another process has continued', async () => write({ upserts: [row(C1, S1, B)] }, { before: randomUUID() })],
    ['the target knows more than this process', async () => write({ upserts: [row(C1, S1, B)] }, { before: null })],
  ])('where %s changes nothing', async (_what, work) => {
    await write({ upserts: [row(C1, S1, A)] })
    const before = await state()
    await expect(work()).rejects.toThrow(TargetMoved)
    expect([await state(), await keys()]).toEqual([before, [key(C1, S1, A)]])
  })

  it('where the state is gone changes nothing', async () => {
    await query(`delete from ${quoted()}.countinghouse_state`)
    await expect(write({ upserts: [row(C1, S1, B)] })).rejects.toThrow(TargetMoved)
    expect(await keys()).toEqual([])
  })

  it('that fails in the middle changes nothing, and the connection can be used', async () => {
    await write({ upserts: [row(C1, S1, A)] })
    const before = await state()
    const fails = write({ cleared: [{ companyId: C1, serviceId: S1 }], upserts: [row(C1, S1, B, { actualBalance: 'no number' })] })
    await expect(fails).rejects.toThrow(PostgresRefused)
    expect([await state(), await keys()]).toEqual([before, [key(C1, S1, A)]])
    await write({ upserts: [row(C1, S1, B)] })
    expect(await keys()).toHaveLength(2)
  })
})

describe('the target of an erased instance', () => {
  it('keeps empty tables and a state that knows nothing', async () => {
    await prepareTarget(db, target)
    token = null
    for (const { name } of TABLES) await write({ table: name, upserts: [row(C1, S1, A)] })
    await emptyTarget(db, target)
    expect(await Promise.all(TABLES.map(({ name }) => keys(name)))).toEqual(TABLES.map(() => []))
    expect(await state()).toMatchObject([{ id: target.destinationId, token: null }])
  })

  it('is left alone where it belongs to another destination, or was never made', async () => {
    await prepareTarget(db, target)
    token = null
    await write({ upserts: [row(C1, S1, A)] })
    await emptyTarget(db, { ...target, destinationId: randomUUID() })
    expect([await keys(), await state()]).toMatchObject([[key(C1, S1, A)], [{ token }]])
    const never = { ...target, schema: `never_${randomUUID().slice(0, 8)}` }
    await emptyTarget(db, never)
    expect(await query('select from pg_namespace where nspname = $1', [never.schema])).toEqual([])
  })
})
