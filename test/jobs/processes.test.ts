import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { fillLane } from './queue.ts'

let db: TestDatabase
let children: ChildProcess[] = []
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children = []
  await db.drop()
})

interface WorkerProcess {
  child: ChildProcess
  lines: string[]
  /** Resolves with the first matching line. */
  said(line: RegExp): Promise<void>
  exited: Promise<unknown[]>
}

function startProcess(leaseMs = 60_000, stopMs = 15_000): WorkerProcess {
  const script = new URL('./worker-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, db.url, String(leaseMs), String(stopMs)], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  return {
    child,
    lines,
    exited: once(child, 'exit'),
    said: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!lines.some((line) => wanted.test(line))) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

const job = (key: string, does = '') => ({ instanceId: randomUUID(), kind: 'work', key, payload: { does } })

async function countJobs(): Promise<number> {
  const { rows } = await db.database.query<{ count: number }>('select count(*)::int as count from jobs')
  return rows[0]?.count ?? Number.NaN
}

describe('a worker process', () => {
  it('that is killed leaves its work to another once its lease has expired, and not before', async () => {
    await enqueueJob(db.database, job('a', 'hang'))
    const first = startProcess(1_000)
    await first.said(/^start a$/)
    first.child.kill('SIGKILL')
    await first.exited
    await db.database.query(`update jobs set payload = '{}'`)
    const { rows } = await db.database.query<{ early: boolean }>('select lease_until > clock_timestamp() as early from jobs')
    expect(rows).toEqual([{ early: true }])
    const second = startProcess(1_000)
    await second.said(/^end a$/)
    expect(second.lines).toEqual(['start a', 'end a'])
  })

  it('keeps its lease as long as it runs, however long the work takes', async () => {
    await enqueueJob(db.database, job('long', 'wait'))
    const holder = startProcess(400)
    const other = startProcess(400)
    await Promise.race([holder.said(/^start long$/), other.said(/^start long$/)])
    // Four turns per lease: three leases have passed.
    for (let turn = 0; turn < 12; turn += 1) {
      const { rows } = await db.database.query<{ until: Date }>(`select lease_until as until from jobs where key = 'long'`)
      await renewed(rows[0]?.until ?? new Date(0))
    }
    expect([...holder.lines, ...other.lines].filter((line) => line === 'start long')).toHaveLength(1)
  })

  it('asked to stop claims nothing more, finishes its jobs and exits with 0', async () => {
    await enqueueJob(db.database, job('a', 'outlast'))
    const worker = startProcess()
    await worker.said(/^start a$/)
    worker.child.kill('SIGTERM')
    await worker.said(/^stopping$/)
    await enqueueJob(db.database, job('next'))
    expect(await worker.exited).toEqual([0, null])
    expect(worker.lines).toEqual(['start a', 'stopping', 'end a'])
    expect(await countJobs()).toBe(1)
  })

  it('that cannot finish in time returns its work without counting an attempt', async () => {
    await enqueueJob(db.database, job('a', 'hang'))
    const worker = startProcess(60_000, 50)
    await worker.said(/^start a$/)
    worker.child.kill('SIGTERM')
    expect(await worker.exited).toEqual([0, null])
    const { rows } = await db.database.query('select state, attempts, worker from jobs')
    expect(rows).toEqual([{ state: 'ready', attempts: 0, worker: null }])
    expect((await db.database.query('select 1 from workers')).rows).toEqual([])
  })

  it('shares the work with others, and no job is done twice', async () => {
    await fillLane(db.database, { instanceId: randomUUID() }, 300)
    const workers = [startProcess(), startProcess(), startProcess()]
    while ((await countJobs()) > 0) await db.database.query('select pg_sleep(0.05)')
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all(workers.map(({ exited }) => exited))
    const done = workers.flatMap(({ lines }) => lines.filter((line) => line.startsWith('end')))
    expect([done.length, new Set(done).size]).toEqual([300, 300])
  })

  async function renewed(before: Date): Promise<void> {
    for (;;) {
      const { rows } = await db.database.query<{ isRenewed: boolean }>(
        `select lease_until > $1 as "isRenewed" from jobs, pg_sleep(0.05) where key = 'long'`,
        [before],
      )
      if (rows[0]?.isRenewed !== false) return
    }
  }
})
