import { connect, createServer, type Server } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../../../test/harness/identities.ts'
import { type Database, openDatabase, readRows } from './database.ts'
import { withinInstance } from './instance-scope.ts'

const test = databaseForTests({ migrated: false })
let gate: Server
let overTls: Database

beforeAll(async () => {
  if (!hasOpenssl) return
  const [, user = '', name = '', host = ''] = /^postgres:\/\/([^@]+)@\/([^?]+)\?host=(.+)$/.exec(test.url) ?? []
  gate = openGate(`${decodeURIComponent(host)}/.s.PGSQL.5432`)
  const address = await new Promise<ReturnType<Server['address']>>((resolve) => gate.listen(0, '127.0.0.1', () => resolve(gate.address())))
  if (address === null || typeof address === 'string') throw new Error('the gate has no port')
  overTls = openDatabase(`postgres://${user}@127.0.0.1:${address.port}/${name}?sslmode=no-verify`)
})
afterAll(async () => {
  await overTls?.end()
  gate?.close()
})

/**
 * TLS proxy in front of the tests' PostgreSQL.
 * Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
function openGate(path: string): Server {
  const { certificate, privateKey } = makeIdentity('gate')
  const secureContext = createSecureContext({ cert: certificate, key: privateKey })
  return createServer((socket) => {
    socket.once('data', () => {
      socket.write('S')
      const outer = new TLSSocket(socket, { isServer: true, secureContext })
      const inner = connect(path)
      outer.pipe(inner).pipe(outer)
      outer.on('error', () => inner.destroy())
      inner.on('error', () => outer.destroy())
    })
  })
}

const INSTANCE = '00000000-0000-4000-8000-000000000001'
const texts = (rows: readonly Buffer[]): string[] => rows.map(String)
/** Rows of very different lengths, with multi-byte characters. */
const MANY = `select i || repeat('é', (i * 7919) % 3000) from generate_series(1, 2000) i`

describe('rows read as bytes over a socket', () => proveReads(() => test.database))
describe.skipIf(!hasOpenssl)('rows read as bytes over TLS, which pg reads itself (skipped only where openssl is not installed)', () =>
  proveReads(() => overTls),
)

function proveReads(of: () => Database): void {
  it('are those that are read as texts', async () => {
    const { rows } = await of().query<[string]>({ text: MANY, values: [], rowMode: 'array' })
    expect(await readRows(of(), { text: MANY, values: [] }, texts)).toEqual(rows.map(([text]) => text))
  })

  it('come in binary format, in which the server does not search them for their end', async () => {
    const number = { text: 'select 258', values: [] }
    expect(await readRows(of(), number, ([row]) => row && [...row])).toEqual([0, 0, 1, 2])
  })

  it('are those of the statement, not of the one that makes its settings', async () => {
    const scope = { text: `select current_setting('countinghouse.instance')`, values: [] }
    expect(await withinInstance(INSTANCE, () => readRows(of(), scope, texts))).toEqual([INSTANCE])
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
}
