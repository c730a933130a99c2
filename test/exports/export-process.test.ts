import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JobSignal } from '../../src/jobs/running-job.ts'
import { ExportProcess } from '../../src/process/exports/export-process.ts'
import type { ExportSettings } from '../../src/process/exports/messages.ts'
import { findExport, type NewExport } from '../../src/store/exports/exports.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { readExportFile } from '../../src/sync/exports/export-file.ts'
import { requestExport } from '../../src/sync/exports/request-export.ts'
import { runExport } from '../../src/sync/exports/run-export.ts'
import { signalOf, takeJobs } from '../harness/app/jobs.ts'
import { SILENT } from '../harness/app/sync-deps.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/** In pieces of three: more than are written while a message travels. */
const RECORDS = 300

const folder = folderForTests()
const books = new ScriptedSource('books')
const harness: SyncHarness = openForTests(async () => await openSyncHarness([books], [], await openKeys(folder.path)))
const exporters: ExportProcess[] = []
const parents: ChildProcess[] = []

beforeAll(async () => {
  books.accounts = Array.from({ length: RECORDS }, (_, at) => ({ id: String(1_000 + at), name: `Account ${at}` }))
  await harness.sync(await harness.connect(books), { reason: 'first' })
})
afterAll(async () => {
  for (const parent of parents) parent.kill('SIGKILL')
  await Promise.all(exporters.map((exporter) => exporter.close()))
})

const settings = (): ExportSettings => ({
  databaseUrl: harness.url,
  databaseDirectUrl: null,
  databaseReadUrl: null,
  maxStalenessMs: 5_000,
  databasePassword: null,
  isDistributed: harness.deps.database.isDistributed,
  isEmbedded: true,
  dataDir: folder.path,
  keys: null,
  pieceRecords: 3,
})

function openExporter(more: Partial<ConstructorParameters<typeof ExportProcess>[0]> = {}): ExportProcess {
  const exporter = new ExportProcess({ database: harness.deps.database, log: SILENT, settings: settings(), ...more })
  exporters.push(exporter)
  return exporter
}

async function request(): Promise<{ wanted: NewExport; job: Job }> {
  const { instanceId, companyId } = harness
  const what = { category: 'Accounting', entity: 'Accounts', format: 'ndjson', requestedBy: 'somebody' } as const
  const wanted = { instanceId, companyId, id: randomUUID(), ...what }
  await requestExport(harness.deps, wanted, async () => undefined)
  const [job] = await takeJobs(harness.deps.database, 'export')
  if (!job) throw new Error('no job was queued')
  return { wanted, job }
}

async function fileOf(wanted: NewExport): Promise<string> {
  const made = await findExport(harness.deps.database, wanted)
  if (made?.state !== 'completed') throw new Error(`the export is ${made?.state}`)
  return (await buffer(readExportFile(harness.deps, wanted, 0, made.bytes))).toString('utf8')
}

/** As one process writes it. */
async function wholeFile(): Promise<string> {
  const { wanted, job } = await request()
  expect(await runExport(harness.deps, job, signalOf(job))).toEqual({ done: true })
  return await fileOf(wanted)
}

/** Calls `act` with the first piece. */
function onFirstPiece(act: () => void): JobSignal {
  let pieces = 0
  return {
    isStopping: () => false,
    advance: () => {
      pieces += 1
      if (pieces === 1) act()
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended stays until its parent has asked for it.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

const pidOf = (exporter: ExportProcess): number => {
  if (exporter.pid === null) throw new Error('there is no process')
  return exporter.pid
}

describe('the process of exports', () => {
  it('writes what this process would write', async () => {
    const { wanted, job } = await request()
    const exporter = openExporter()
    expect(await exporter.run(job, signalOf(job))).toEqual({ done: true })
    expect(await fileOf(wanted)).toBe(await wholeFile())
  })

  it('writes several exports at once, and ends when no more come', async () => {
    const requests = [await request(), await request()]
    const exporter = openExporter({ idleMs: 0 })
    const running = requests.map(({ job }) => exporter.run(job, signalOf(job)))
    const pid = pidOf(exporter)
    expect(await Promise.all(running)).toEqual([{ done: true }, { done: true }])
    await until('it ends', () => (isRunning(pid) ? null : true))
    const { wanted, job } = await request()
    expect(await exporter.run(job, signalOf(job))).toEqual({ done: true })
    expect(await fileOf(wanted)).toContain('Account 0')
  })

  it('that is killed leaves the export to the next one, which goes on after the last piece', async () => {
    const { wanted, job } = await request()
    const exporter = openExporter()
    const killed = await exporter.run(
      job,
      onFirstPiece(() => process.kill(pidOf(exporter), 'SIGKILL')),
    )
    expect(killed).toMatchObject({ done: false, isFailure: true })
    expect(await findExport(harness.deps.database, wanted)).toMatchObject({ state: 'running' })
    expect(await exporter.run(job, signalOf(job))).toEqual({ done: true })
    expect(await fileOf(wanted)).toBe(await wholeFile())
  })

  it('that is killed at each attempt ends the export as failed', async () => {
    const { wanted, job } = await request()
    const exporter = openExporter()
    const running = exporter.run({ ...job, attempts: 5 }, signalOf(job))
    process.kill(pidOf(exporter), 'SIGKILL')
    expect(await running).toEqual({ done: true })
    expect(await findExport(harness.deps.database, wanted)).toMatchObject({ state: 'failed', error: 'The file could not be written.' })
  })

  it('stops between two pieces when the worker stops or has lost its lease', async () => {
    const { wanted, job } = await request()
    const exporter = openExporter()
    const pieces: number[] = []
    const signal = { isStopping: () => pieces.length > 0, advance: (position: number) => void pieces.push(position) }
    const stopped = { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
    expect(await exporter.run(job, signal)).toEqual(stopped)
    expect(pieces.at(-1)).toBeLessThan(RECORDS)
    expect(await exporter.run(job, { isStopping: () => true, advance: () => undefined })).toEqual(stopped)
    expect(await exporter.run(job, signalOf(job))).toEqual({ done: true })
    expect(await fileOf(wanted)).toBe(await wholeFile())
  })

  it('is left alone by signals to a group of processes, and ends when it is closed', async () => {
    const { job } = await request()
    const exporter = openExporter()
    const signals = onFirstPiece(() => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pidOf(exporter), signal)
    })
    expect(await exporter.run(job, signals)).toEqual({ done: true })
    const pid = pidOf(exporter)
    await exporter.close()
    expect([isRunning(pid), exporter.pid]).toEqual([false, null])
  })

  it('that cannot open the keys says why, and the export is tried again', async () => {
    const lines: string[] = []
    const note = (fields: Record<string, unknown>, message: string) => void lines.push(`${message}: ${(fields.err as Error).message}`)
    const log = { ...SILENT, warn: note, error: note }
    const { job } = await request()
    const keys = { kind: 'command', command: 'exit 3' } as const
    const exporter = openExporter({ log, settings: { ...settings(), keys } })
    expect(await exporter.run(job, signalOf(job))).toMatchObject({ done: false, isFailure: true })
    expect(lines).toEqual([
      'exports cannot be written: KEYS_COMMAND: the command failed: exit code 3',
      'export interrupted: the process of exports ended (status 0)',
    ])
  })

  it('ends with a parent that is killed', async () => {
    const { wanted, job } = await request()
    const parent = spawn(process.execPath, [join(import.meta.dirname, 'export-parent.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
    parents.push(parent)
    parent.stdin.end(JSON.stringify({ settings: settings(), job }))
    const [pid] = await once(createInterface({ input: parent.stdout }), 'line')
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await until('it ends', () => (isRunning(Number(pid)) ? null : true))
    expect(await findExport(harness.deps.database, wanted)).toMatchObject({ state: 'running' })
    const exporter = openExporter()
    expect(await exporter.run(job, signalOf(job))).toEqual({ done: true })
    expect(await fileOf(wanted)).toBe(await wholeFile())
  })
})

describe.runIf(process.platform === 'linux')('on Linux, the process of exports', () => {
  const groupOf = (pid: number): number => {
    const path = `/proc/${pid}/autogroup`
    // "none" where the scheduler does not group processes by session.
    return existsSync(path) ? Number(/nice (-?\d+)/.exec(readFileSync(path, 'utf8'))?.[1]) : 10
  }

  it('has a lower priority, and so have the processes of PostgreSQL that serve it, and no other', async () => {
    const { job } = await request()
    const exporter = openExporter()
    const { database } = harness.deps
    const serving = async (isOurs: boolean): Promise<number[]> => {
      const { rows } = await database.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and (application_name = 'countinghouse exports') = $1`,
        [isOurs],
      )
      return rows.map(({ pid }) => pid)
    }
    await exporter.run(job, signalOf(job))
    const servers = await serving(true)
    expect(servers.length).toBeGreaterThan(0)
    const lowered = [pidOf(exporter), ...servers]
    await until('each has it', () => (lowered.every((pid) => groupOf(pid) === 10) ? true : null))
    expect(lowered.map((pid) => getPriority(pid))).toEqual(lowered.map(() => 10))
    const others = await serving(false)
    expect(others.map((pid) => getPriority(pid))).toEqual(others.map(() => 0))
  })

  it('shows no secret in its arguments and environment', async () => {
    const { job } = await request()
    const exporter = openExporter()
    await exporter.run(job, signalOf(job))
    const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${exporter.pid}/${name}`, 'utf8')).join('\0')
    expect([shown.includes('main.ts'), shown.includes(harness.url), shown.includes(folder.path)]).toEqual([true, false, false])
  })
})
