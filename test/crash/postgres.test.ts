import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openTestFolder } from '../process/service.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { findFaults } from './checker.ts'
import { startEngine } from './engine.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from './harness.ts'

const SEED = Number(process.env.SEED ?? 4711)
/** Limit for a start on a busy machine; an idle one takes less than a second. */
const READY_LIMIT_MS = 10_000

let folder: Awaited<ReturnType<typeof openTestFolder>>
let postgres: EmbeddedPostgres
let database: Database
let harness: CrashHarness

beforeEach(async () => {
  folder = await openTestFolder()
  postgres = await startEmbeddedPostgres({ dataDir: folder.path })
  database = openDatabase(postgres.url)
  await upgradeSchema(database)
  harness = await openCrashHarness(database, postgres.url, SEED)
})
afterEach(async () => {
  await harness.close()
  await database.end()
  await postgres.stop()
  await folder.remove()
})

/** Kills all its processes with SIGKILL; the next start uses the same folder. */
async function killPostgres(): Promise<void> {
  const pid = Number.parseInt(await readFile(join(folder.path, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
  process.kill(-pid, 'SIGKILL')
  await postgres.stop()
  postgres = await startEmbeddedPostgres({ dataDir: folder.path })
}

/** Writes rows one by one until stopped; records which were acknowledged. */
function startWriter(): { acknowledged: string[]; refused: number; stop(): Promise<void> } {
  const state = { acknowledged: [] as string[], refused: 0, isStopping: false }
  const work = (async () => {
    while (!state.isStopping) {
      const id = randomUUID()
      try {
        await addCompany(database, harness.instanceId, { id, name: `Company ${id}` })
        state.acknowledged.push(id)
      } catch {
        state.refused += 1
        await wait(20)
      }
    }
  })()
  return Object.assign(state, {
    stop: async () => {
      state.isStopping = true
      await work
    },
  })
}

test(`PostgreSQL killed ${effort.postgresKills} times under load loses no acknowledged write, and the service continues by itself`, {
  timeout: 60_000 + effort.postgresKills * 30_000,
}, async () => {
  for (let round = 0; round < 6; round += 1) changeBooks(harness)
  for (let number = 0; number < 3; number += 1) await harness.connect(await harness.addCompany())
  const { sync } = harness
  // Errors while the database is away are retried; the checker decides what must not happen.
  const engine = startEngine({ ...harness.engineParts, onError: () => undefined })
  const writer = startWriter()
  let slowestMs = 0
  for (let kill = 0; kill < effort.postgresKills; kill += 1) {
    changeBooks(harness)
    for (const companyId of harness.companyIds) await requestRefresh(sync, harness.target(companyId))
    // Leases held when the database was lost last a minute; expires them now.
    await endLeases(database)
    await Promise.race([harness.contacts(1 + harness.random.below(12)), wait(2_000)])
    const startedMs = performance.now()
    await killPostgres()
    await database.query('select 1')
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
  }
  await writer.stop()
  await engine.stop()
  await harness.finish()
  const { rows } = await database.query<{ id: string }>('select id from companies where instance_id = $1', [harness.instanceId])
  const kept = new Set(rows.map(({ id }) => id))
  expect(writer.acknowledged.filter((id) => !kept.has(id))).toEqual([])
  expect(await findFaults(harness)).toEqual([])
  expect(slowestMs).toBeLessThan(READY_LIMIT_MS)
  reportFigure('crash: SIGKILLs of PostgreSQL under load', effort.postgresKills)
  reportFigure('crash: acknowledged writes meanwhile, none lost', writer.acknowledged.length)
  reportFigure('crash: slowest way back to a database that answers, s', (slowestMs / 1_000).toFixed(1))
})
