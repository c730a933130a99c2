import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { findErasure } from '../../src/store/operators/erasures.ts'
import { requestErasure } from '../../src/sync/instances/erase.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { Random } from '../simulation/random.ts'
import { fillTables, listFilledTables } from './every-table.ts'

const PROCESS = join(import.meta.dirname, 'erasure-process.ts')
const SEED = Number(process.env.SEED ?? 4711)
/** Processes that are killed before the one that ends the erasure. */
const KILLS = 16

const made = databaseForTests()
const keysFolder = folderForTests()

beforeAll(async () => {
  await openKeys(keysFolder.path)
})

async function beginErasure(): Promise<{ instanceId: string; erasureId: string }> {
  const instance = { id: randomUUID(), name: 'Maple Lending', kind: 'live' } as const
  await createInstance(made.database, instance)
  const erasure = await inTransaction(made.database, (db) => requestErasure(db, instance))
  if (!erasure) throw new Error('an erasure is under way')
  await fillTables(made.database, instance.id)
  return { instanceId: instance.id, erasureId: erasure.id }
}

/** How the process ended, and the number of its queries; it kills itself instead of sending the `last` one. */
async function runErasure(erasureId: string, last = 0): Promise<{ signal: string | null; queries: number }> {
  const child = spawn(process.execPath, [PROCESS, made.url, keysFolder.path, erasureId, String(last)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  await once(child, 'close')
  return { signal: child.signalCode, queries: Number(printed) }
}

const countsOf = async (erasureId: string) => {
  const { deleted, revocations, unrevoked, completedAt } = (await findErasure(made.database, erasureId)) ?? expect.fail('no erasure')
  return { deleted, revocations, unrevoked, isComplete: completedAt !== null }
}

it('an erasure whose process is killed again and again ends with the same receipt as one that is not', { timeout: 180_000 }, async () => {
  const random = new Random(SEED)
  const [whole, killed] = [await beginErasure(), await beginErasure()]
  const { queries } = await runErasure(whole.erasureId)
  expect(queries).toBeGreaterThan(100)
  // A process that goes on has less left to do, so that a kill may come too late: then it has ended the erasure.
  const kills = Array.from({ length: KILLS }, () => 8 + random.below(Math.floor(queries / 4)))
  const signals: (string | null)[] = []
  for (const last of kills) signals.push((await runErasure(killed.erasureId, last)).signal)
  expect(signals.filter((signal) => signal === 'SIGKILL').length).toBeGreaterThan(KILLS / 2)
  expect((await runErasure(killed.erasureId)).signal).toBeNull()
  expect(await countsOf(killed.erasureId)).toEqual({ ...(await countsOf(whole.erasureId)), isComplete: true })
  expect(await listFilledTables(made.database, killed.instanceId)).toEqual([])
})
