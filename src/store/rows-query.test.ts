import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/database.ts'
import { type Database, readRows } from './database.ts'

let test: TestDatabase
/** Whose connections read as `pg` has them read, as all do that speak TLS. */
let plain: Database

beforeAll(async () => {
  test = await testDatabase({ migrated: false })
  const [, user = '', database, host = ''] = /^postgres:\/\/([^@]+)@\/([^?]+)\?host=(.+)$/.exec(test.url) ?? []
  plain = new pg.Pool({ user, database, host: decodeURIComponent(host) })
})
afterAll(async () => {
  await plain.end()
  await test.drop()
})

const texts = (rows: readonly Buffer[]): string[] => rows.map(String)
/** Rows of very different lengths, with letters of several bytes. */
const MANY = `select i || repeat('é', (i * 7919) % 3000) from generate_series(1, 2000) i`

describe.each([
  ['with a reader', () => test.database],
  ['without one', () => plain],
])('rows read as bytes over a connection %s', (_how, of) => {
  it('are those that are read as texts', async () => {
    const { rows } = await of().query<[string]>({ text: MANY, values: [], rowMode: 'array' })
    expect(await readRows(of(), { text: MANY, values: [] }, texts)).toEqual(rows.map(([text]) => text))
  })

  it('are not mixed with those of other queries at the same time', async () => {
    const read = async (n: number) => {
      const rows = await readRows(of(), { text: `select $1 || repeat('x', 50000) from generate_series(1, 20)`, values: [n] }, texts)
      const { rows: told } = await of().query<{ n: number }>('select $1::int as n', [n])
      return new Set([...rows.map((row) => Number(row.slice(0, row.indexOf('x')))), ...told.map((row) => row.n)])
    }
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => read(n)))
    expect(all.map((numbers) => [...numbers])).toEqual(Array.from({ length: 30 }, (_, n) => [n]))
  })

  it('that end in an error give the error, and the next are read', async () => {
    const failing = { text: 'select (100 / (50 - i))::text from generate_series(1, 100) i', values: [] }
    for (let time = 0; time < 20; time++) await expect(readRows(of(), failing, texts)).rejects.toThrow('division by zero')
    expect((await of().query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('whose reader fails give what it failed with, and the connection reads on', async () => {
    const fail = () => {
      throw new Error('unreadable')
    }
    for (let time = 0; time < 20; time++) await expect(readRows(of(), { text: MANY, values: [] }, fail)).rejects.toThrow('unreadable')
    expect(await readRows(of(), { text: `select 'a'`, values: [] }, texts)).toEqual(['a'])
  })

  it('of a connection that breaks give an error, and the next has another', async () => {
    const cut = `select case when i = 9 then pg_terminate_backend(pg_backend_pid())::text else 'row' end from generate_series(1, 9) i`
    await expect(readRows(of(), { text: cut, values: [] }, texts)).rejects.toThrow(/terminat/)
    expect(await readRows(of(), { text: `select 'a'`, values: [] }, texts)).toEqual(['a'])
  })
})
