import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { lacksPooler, openPooledPostgres, type Pooler, poolerNote } from './pooler.ts'

/** Connections of one process of the service. */
const OF_PROCESS = 16
const INSTANCES = 40
const ROUNDS = 5

/** Many processes of the API, by what they cost a pooler: pools that are all in use at once. */
describe.skipIf(lacksPooler)(`clients behind PgBouncer in transaction mode${poolerNote}`, () => {
  const { pooledClients, pooledServers } = effort
  const postgres = openForTests(() => openPooledPostgres({ max_connections: String(pooledServers + 30) }))
  let pooler: Pooler
  let pools: Database[]
  const instances = Array.from({ length: INSTANCES }, (_, n) => ({ id: randomUUID(), name: `Company ${n}` }))

  beforeAll(async () => {
    const database = openDatabase(postgres.url)
    await upgradeSchema(database)
    for (const { id, name } of instances) {
      await createInstance(database, { id, name: `Lender of ${name}`, kind: 'test' })
      await addCompany(database, id, { name })
    }
    await database.end()
    pooler = await postgres.pool({ mode: 'transaction', serverConnections: pooledServers, clients: pooledClients + 100 })
    pools = Array.from({ length: Math.ceil(pooledClients / OF_PROCESS) }, () =>
      openDatabase(pooler.url, { max: OF_PROCESS, directUrl: postgres.url }),
    )
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await pooler?.close()
  })

  it('each sees its own instance only, in statements and transactions, on few server connections', async () => {
    await holdAll(pools)
    const startedMs = performance.now()
    const asked = pools.flatMap((pool, at) =>
      Array.from({ length: OF_PROCESS }, async (_, client) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const { id, name } = instances[(at + client + round) % INSTANCES] ?? { id: '', name: '' }
          expect(await readNames(pool, id, round)).toEqual([name])
        }
      }),
    )
    await Promise.all(asked)
    const seconds = (performance.now() - startedMs) / 1_000
    const { clients, servers } = await countConnections(pooler)
    expect(servers).toBeLessThanOrEqual(pooledServers)
    expect(clients).toBeGreaterThanOrEqual(pooledClients)
    const count = pools.length * OF_PROCESS * ROUNDS
    reportFigure('clients on server connections', `${clients} on ${servers}`)
    reportFigure('reads by them per second', Math.round(count / seconds))
  })
})

/** Opens every connection of the pools: all are held until the last is open, for pools close those that are idle. */
async function holdAll(pools: readonly Database[]): Promise<void> {
  const held: pg.PoolClient[] = []
  for (const pool of pools) held.push(...(await Promise.all(Array.from({ length: OF_PROCESS }, () => pool.connect()))))
  for (const client of held) client.release()
}

async function readNames(pool: Database, instanceId: string, round: number): Promise<string[]> {
  // No condition on the instance: row-level security alone decides.
  const query = { name: 'names', text: 'select name from companies where name <> $1', values: [''] }
  const ask = () => (round % 2 === 0 ? pool.query<{ name: string }>(query) : inTransaction(pool, (db) => db.query<{ name: string }>(query)))
  const { rows } = await withinInstance(instanceId, ask)
  return rows.map(({ name }) => name)
}

/** Connections as PgBouncer counts them. */
async function countConnections({ url }: Pooler): Promise<{ clients: number; servers: number }> {
  const admin = new pg.Client(url.replace(/\/countinghouse$/, '/pgbouncer'))
  await admin.connect()
  const { rows } = await admin.query<Record<string, string>>('show pools')
  await admin.end()
  const own = rows.filter(({ database }) => database === 'countinghouse')
  const sum = (names: readonly string[]) => own.reduce((total, row) => total + names.reduce((of, name) => of + Number(row[name]), 0), 0)
  return { clients: sum(['cl_active', 'cl_waiting']), servers: sum(['sv_active', 'sv_idle', 'sv_used', 'sv_tested']) }
}
