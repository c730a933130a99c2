import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { countWorkers } from '../../src/store/db/deployment-health.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { until } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, ReplicatedPostgres, replicationNote } from '../replicas/cluster.ts'
import { listLockHolders, type RestingWorker, readAge, startResting, untilSilent } from './resting-worker.ts'

const FAILOVER_MS = 60_000

/** Locks are not replicated: the server that leads from now on knows of none. */
describe.skipIf(lacksReplication)(`workers at rest in a failover${replicationNote}`, () => {
  let cluster: ReplicatedPostgres
  let standby: PostgresServer
  let database: Database
  let workers: RestingWorker[]
  beforeAll(async () => {
    cluster = await ReplicatedPostgres.open()
    const first = openDatabase(cluster.primary.url)
    await upgradeSchema(first)
    await first.end()
    standby = await cluster.addReplica()
    const { primary } = cluster
    database = openDatabase(`postgres://countinghouse@${primary.address},${standby.address}/countinghouse?target_session_attrs=read-write`)
    workers = [await startResting(database), await startResting(database)]
  })
  afterAll(async () => {
    for (const { worker } of workers ?? []) await worker.stop()
    await database?.end()
    await cluster?.close()
  })

  const ages = async (on: Database) => await Promise.all(workers.map(({ id }) => readAge(on, id)))

  it('write heartbeats at the server that leads, count as alive there, and rest again', async () => {
    for (const { rest } of workers) await rest()
    await untilSilent(
      database,
      workers.map(({ id }) => id),
    )
    await until('the standby has it', async () => {
      const [row] = await standby.admin<{ count: number }>(
        `select count(*)::int from workers where seen_at < now() - interval '50 minutes'`,
      )
      return row?.count === workers.length ? true : null
    })
    await cluster.primary.kill()
    await standby.admin('select pg_promote()')
    const isFresh = async () => (await ages(database)).every((age) => age !== null && age < 60)
    await until('heartbeats', async () => ((await isFresh().catch(() => false)) ? true : null), FAILOVER_MS)
    expect(await countWorkers(database)).toEqual({ workers: 2, slots: 6 })
    for (const { rest } of workers) await rest()
    await until('locks of both', async () => ((await listLockHolders(database)).length === workers.length ? true : null))
    await untilSilent(
      database,
      workers.map(({ id }) => id),
    )
    expect(await countWorkers(database)).toEqual({ workers: 2, slots: 6 })
  }, 120_000)
})
