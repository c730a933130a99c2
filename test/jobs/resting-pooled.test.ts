import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JobWorker } from '../../src/jobs/worker.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { countWorkers } from '../../src/store/db/deployment-health.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { until } from '../process/deadline.ts'
import { lacksPooler, openPooledPostgres, type PooledPostgres, type Pooler, poolerNote } from '../process/pooler.ts'
import { listLockHolders, readAge, startResting, untilSilent } from './resting-worker.ts'

const BUSY_STATEMENTS = 200

describe.skipIf(lacksPooler)(`a worker at rest behind PgBouncer in transaction mode${poolerNote}`, () => {
  let postgres: PooledPostgres
  let pooler: Pooler
  let database: Database
  beforeAll(async () => {
    postgres = await openPooledPostgres()
    const direct = openDatabase(postgres.url)
    await upgradeSchema(direct)
    await direct.end()
    pooler = await postgres.pool({ mode: 'transaction', serverConnections: 3 })
    database = openDatabase(pooler.url, { directUrl: postgres.url })
  })
  afterAll(async () => {
    await database?.end()
    await pooler?.close()
    await postgres?.close()
  })

  const started: JobWorker[] = []
  /** A worker that is stopped at the end of its test at the latest: a pool does not end while its session is open. */
  const start = async (on: Database) => {
    const resting = await startResting(on)
    started.push(resting.worker)
    return resting
  }
  afterEach(async () => {
    for (const worker of started.splice(0)) await worker.stop().catch(() => 'its database is gone')
    await until('the end of their sessions', async () => ((await listLockHolders(database)).length === 0 ? true : null))
  })

  /** Statements of many clients, for which PgBouncer changes the server connections all the time. */
  const beBusy = async () => await Promise.all(Array.from({ length: BUSY_STATEMENTS }, () => database.query('select pg_sleep(0.001)')))

  it('counts as alive by the lock of a session beside the pooler, and writes nothing, while others use the pooler', async () => {
    const { id, rest } = await start(database)
    await rest()
    await Promise.all([untilSilent(database, [id]), beBusy()])
    expect([await countWorkers(database), (await listLockHolders(database)).length]).toEqual([{ workers: 1, slots: 3 }, 1])
  })

  it('leaves no lock in a connection of the pooler when its session breaks, and writes heartbeats again', async () => {
    const { id, worker, rest } = await start(database)
    await rest()
    await untilSilent(database, [id])
    const [holder] = await listLockHolders(database)
    await database.query('select pg_terminate_backend($1)', [holder])
    await until('a heartbeat', async () => (((await readAge(database, id)) ?? 3_600) < 60 ? true : null))
    await worker.stop()
    await until('the end of its session', async () => ((await listLockHolders(database)).length === 0 ? true : null))
    expect(await countWorkers(database)).toEqual({ workers: 0, slots: 0 })
  })

  it('goes on counting as alive while PgBouncer is away', async () => {
    const own = await postgres.pool({ mode: 'transaction', serverConnections: 3 })
    const [pooled, direct] = [openDatabase(own.url, { directUrl: postgres.url }), openDatabase(postgres.url)]
    const { id, worker, rest } = await start(pooled)
    await rest()
    await untilSilent(direct, [id])
    await own.close()
    await untilSilent(direct, [id])
    expect([await countWorkers(direct), (await listLockHolders(direct)).length]).toEqual([{ workers: 1, slots: 3 }, 1])
    await worker.stop().catch(() => 'its row cannot be removed now')
    await pooled.end()
    await direct.end()
  })
})
