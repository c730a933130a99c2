import { fork } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/store/db/database.ts'
import { upgradeSchema } from '../src/store/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts'
import type { Measured, MeasureRequest } from './connectors/measure.ts'
import { GIANT_SOURCES } from './connectors/sources.ts'
import { timeStartUp } from './connectors/start-up.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { endProcess, nextMessage } from './processes.ts'
import { printProgress } from './progress.ts'

const FOLDER = join(import.meta.dirname, 'connectors')

/**
 * A giant company at every source, with the simulator in another process: time and memory of the sync, speed of the
 * mapping, start-up cost.
 */
export async function benchConnectors({ connectorAccounts, seconds, rounds }: Effort): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
  await chmod(dataDir, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir })
  try {
    const database = openDatabase(postgres.url, { max: 1 })
    await upgradeSchema(database)
    await database.end()
    const figures: Figure[] = []
    for (const key of Object.keys(GIANT_SOURCES)) {
      printProgress(`connectors: ${key}`)
      const measured = await measureOne(key, connectorAccounts, { databaseUrl: postgres.url, dataDir, seconds })
      figures.push(...toFigures(key, measured, connectorAccounts))
    }
    printProgress('connectors: start-up')
    return [...figures, ...toStartFigures(await timeStartUp(rounds))]
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measureOne(key: string, accounts: number, shared: Omit<MeasureRequest, 'key' | 'url'>): Promise<Measured> {
  const simulator = fork(join(FOLDER, 'simulator.ts'), [JSON.stringify({ key, accounts })], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const { port } = (await nextMessage(simulator)) as { port: number }
    const request: MeasureRequest = { ...shared, key, url: `http://127.0.0.1:${port}` }
    const child = fork(join(FOLDER, 'measure.ts'), [JSON.stringify(request)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [...process.execArgv, '--expose-gc'],
    })
    try {
      return (await nextMessage(child)) as Measured
    } finally {
      await endProcess(child)
    }
  } finally {
    await endProcess(simulator)
  }
}

function toFigures(key: string, measured: Measured, accounts: number): Figure[] {
  const count = accounts.toLocaleString('en-US')
  return [
    atLeast(`${key}: accounts of the giant that arrived`, measured.accounts, accounts, 0),
    atMost(`  sync of ${count} accounts, s`, measured.seconds, 10, 1),
    untargeted('    processor time of the syncing process, s', measured.processorSeconds.toFixed(1)),
    atMost('  resident memory above the baseline, MiB', measured.addedMiB, 250, 0),
    atLeast('  mapping alone, accounts/s of processor time', measured.mappedPerSecond, 100_000, 0),
    untargeted(
      '  with reading and checking, accounts/s of processor time',
      measured.normalizedPerSecond.toLocaleString('en-US', { maximumFractionDigits: 0 }),
    ),
  ]
}

function toStartFigures({ descriptionsMs, codeMs, sources }: Awaited<ReturnType<typeof timeStartUp>>): Figure[] {
  return [
    atMost(`start-up with ${sources} sources above one without, ms a source`, descriptionsMs / sources, 2),
    untargeted('  their code, loaded when used, would take, ms', codeMs.toFixed(0)),
  ]
}
