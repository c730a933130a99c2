import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../src/store/db/database.ts'
import { upgradeSchema } from '../src/store/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts'
import { checkKeys } from '../src/store/keys/key-fingerprints.ts'
import { openKeys } from '../src/store/keys/keys.ts'
import { databaseBytes } from './deployment.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'

const COMMAND = join(import.meta.dirname, '..', 'bin', 'countinghouse.js')
const PASSPHRASE = 'violet harbour teapot ninety-one'
const LOOK_MS = 100
/** The target: 10 GB in ten minutes. */
const PROMISED_BYTES = 10e9
const PROMISED_SECONDS = 600
const VALUE_BYTES = 40_000
const COMPANIES = 2_000

/**
 * Backs up and restores, by the commands, a deployment of a given size: half of it small rows, half large values that
 * do not compress. Rates refer to the database's size.
 */
export async function benchBackup({ backupMegabytes }: Effort): Promise<Figure[]> {
  printProgress(`backup: a database of ${backupMegabytes} MB is made`)
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  await chmod(folder, 0o711)
  try {
    const dataDir = join(folder, 'data')
    const bytes = await fill(dataDir, backupMegabytes * 1e6)
    const file = join(folder, 'one.backup')
    printProgress('backup: backup, restore, verify')
    const backup = await measure(['backup', '--to', file], { DATA_DIR: dataDir })
    const restored = join(folder, 'restored')
    const restore = await measure(['restore', '--from', file], { DATA_DIR: restored })
    const verify = await measure(['verify', '--from', file], { DATA_DIR: restored })
    const rate = ({ seconds }: Measured) => `${(bytes / 1e6 / seconds).toFixed(1)}`
    const promised = ({ seconds }: Measured) => (seconds * PROMISED_BYTES) / bytes
    return [
      untargeted('backup: size of the database, MB', (bytes / 1e6).toFixed(0)),
      untargeted('  size of the file, MB', ((await stat(file)).size / 1e6).toFixed(0)),
      untargeted('  backup, MB/s of the database', rate(backup)),
      untargeted('  restore, MB/s', rate(restore)),
      untargeted('  verify with all tables compared, MB/s', rate(verify)),
      atMost('  backup of 10 GB at this rate, s', promised(backup), PROMISED_SECONDS, 0),
      atMost('  restore of 10 GB at this rate, s', promised(restore), PROMISED_SECONDS, 0),
      untargeted(
        '  highest resident memory of backup, restore, verify, MiB',
        [backup, restore, verify].map(({ peakMiB }) => peakMiB.toFixed(0)).join(', '),
      ),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Returns the size of the database. */
async function fill(dataDir: string, wantedBytes: number): Promise<number> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { synchronous_commit: 'off' } })
  const database = openDatabase(postgres.url, { max: 2 })
  try {
    await upgradeSchema(database)
    await checkKeys(database, await openKeys(dataDir))
    await database.query(`insert into instances (id, name) values (gen_random_uuid(), 'Bench')`)
    await database.query(
      `insert into companies (instance_id, id, name) select id, gen_random_uuid(), 'Company ' || n from instances, generate_series(1, $1) n`,
      [COMPANIES],
    )
    while ((await databaseBytes(database)) < wantedBytes) await addRows(database)
    return await databaseBytes(database)
  } finally {
    await database.end()
    await postgres.stop()
  }
}

/** Adds about 20 MB: half small rows of text, half large values that do not compress. */
async function addRows(database: Database): Promise<void> {
  await database.query(
    `insert into jobs (instance_id, kind, key, payload, state)
     select i.id, 'bench', 'bench/' || gen_random_uuid(), jsonb_build_object('bytes', b.bytes), 'dead'
     from instances i, generate_series(1, 250) n cross join lateral (
       select encode(string_agg(sha256(uuid_send(gen_random_uuid()) || int4send(n + s)), ''), 'base64') as bytes
       from generate_series(1, ${VALUE_BYTES / 32}) s) b`,
  )
  await database.query(
    `insert into jobs (instance_id, kind, key, payload, state)
     select i.id, 'bench', 'bench/' || gen_random_uuid(), jsonb_build_object('name', 'Boulangerie du Plateau', 'n', n, 'text', repeat(md5(n::text), 8)), 'dead'
     from instances i, generate_series(1, 20000) n`,
  )
}

interface Measured {
  seconds: number
  peakMiB: number
}

async function measure(args: readonly string[], env: Record<string, string>): Promise<Measured> {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env.PATH, BACKUP_PASSPHRASE: PASSPHRASE, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  const memory = watchMemory(child)
  await ended
  const peakMiB = memory()
  if (child.exitCode !== 0) throw new Error(`countinghouse ${args.join(' ')} ended with ${child.exitCode}`)
  return { seconds: (performance.now() - beganMs) / 1_000, peakMiB }
}

function watchMemory(child: ChildProcess): () => number {
  let peakMiB = 0
  const look = async (): Promise<void> => {
    const now = await residentMiB(child.pid ?? 0).catch(() => 0)
    if (now > peakMiB) peakMiB = now
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  return () => {
    clearInterval(timer)
    return peakMiB
  }
}
