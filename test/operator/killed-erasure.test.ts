import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { findErasure } from '../../src/store/operators/erasures.ts'
import { requestErasure } from '../../src/sync/instances/erase.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { Random } from '../simulation/random.ts'
import { fillTables, listFilledTables } from './every-table.ts'

const PROCESS = join(import.meta.dirname, 'erasure-process.ts')
const SEED = Number(process.env.SEED ?? 4711)
/** Checks between two transactions at which the process kills itself, then moments within its work, in milliseconds. */
const CHECKS = [1, 2, 9, 30, 60]
const MOMENTS = 6
const MOST_MS = 150

let made: TestDatabase
let keysFolder: string
beforeAll(async () => {
  made = await testDatabase()
  keysFolder = await mkdtemp(join(tmpdir(), 'countinghouse-erasure-'))
  await openKeys(keysFolder)
})
afterAll(async () => {
  await made?.drop()
  await rm(keysFolder, { recursive: true, force: true })
})

async function beginErasure(): Promise<{ instanceId: string; erasureId: string }> {
  const instance = { id: randomUUID(), name: 'Maple Lending', kind: 'live' } as const
  await createInstance(made.database, instance)
  const erasure = await inTransaction(made.database, (db) => requestErasure(db, instance))
  if (!erasure) throw new Error('an erasure is under way')
  await fillTables(made.database, instance.id)
  return { instanceId: instance.id, erasureId: erasure.id }
}

/** How the process ended; killed `afterMs` after it began to work, if given. */
async function runErasure(erasureId: string, { check = 0, afterMs = null }: { check?: number; afterMs?: number | null } = {}) {
  const child = spawn(process.execPath, [PROCESS, made.url, keysFolder, erasureId, String(check)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let faults = ''
  child.stderr.on('data', (chunk: Buffer) => {
    faults += chunk.toString()
  })
  const ended = once(child, 'close')
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  if (afterMs !== null) setTimeout(() => child.kill('SIGKILL'), afterMs)
  await ended
  return { code: child.exitCode, signal: child.signalCode, faults }
}

const countsOf = async (erasureId: string) => {
  const { deleted, revocations, unrevoked, completedAt } = (await findErasure(made.database, erasureId)) ?? expect.fail('no erasure')
  return { deleted, revocations, unrevoked, isComplete: completedAt !== null }
}

it('an erasure whose process is killed again and again ends with the same receipt as one that is not', { timeout: 180_000 }, async () => {
  const random = new Random(SEED)
  const [whole, killed] = [await beginErasure(), await beginErasure()]
  expect(await runErasure(whole.erasureId)).toEqual({ code: 0, signal: null, faults: '' })
  const signals: (string | null)[] = []
  for (const check of CHECKS) signals.push((await runErasure(killed.erasureId, { check })).signal)
  expect(signals).toContain('SIGKILL')
  for (let moment = 0; moment < MOMENTS; moment += 1) await runErasure(killed.erasureId, { afterMs: random.below(MOST_MS) })
  const last = await runErasure(killed.erasureId)
  expect(last).toEqual({ code: 0, signal: null, faults: '' })
  expect(await countsOf(killed.erasureId)).toEqual({ ...(await countsOf(whole.erasureId)), isComplete: true })
  expect(await listFilledTables(made.database, killed.instanceId)).toEqual([])
})
