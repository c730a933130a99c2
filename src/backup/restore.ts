import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret } from '../model/values/secret.ts'
import { listUnknownMigrations } from '../store/db/apply-migrations.ts'
import { startEmbeddedPostgres } from '../store/embedded/postgres.ts'
import { makeDataFolder } from '../store/keys/data-folder.ts'
import { writeDurably } from '../store/keys/durable-file.ts'
import { createKeyFolder, type KeyFile, parseKey } from '../store/keys/key-files.ts'
import { haveFingerprint } from '../store/keys/key-fingerprints.ts'
import { beginLoad, checkEmpty, type SnapshotLoad } from '../store/snapshot/load-snapshot.ts'
import { type TableDigest, TableDigester } from '../store/snapshot/table-digest.ts'
import type { SnapshotTable } from '../store/snapshot/tables.ts'
import { endUnfinishedRestore, findUnfinishedRestore, markUnfinishedRestore } from '../store/snapshot/unfinished-restore.ts'
import { type BackupFacts, type OpenBackup, openBackup, readFacts } from './format/backup-reader.ts'
import type { Frame } from './format/entries.ts'
import { BackupDamaged } from './format/errors.ts'
import { KEYS_FOLDER, SOURCES_FILE } from './write-backup.ts'

/**
 * Without a log of the rows: a table that is created and filled in one transaction is then flushed to disk at its commit.
 * Source: https://www.postgresql.org/docs/18/populate.html#POPULATE-MAX-WAL-SIZE
 */
const LOAD_SETTINGS = { wal_level: 'minimal', max_wal_senders: '0', autovacuum: 'off' }

export interface RestoreTarget {
  dataDir: string
  /** Null for the embedded PostgreSQL of `dataDir`. */
  databaseUrl: Secret | null
  /** Keys that are kept elsewhere; null: they come from the backup. */
  keysElsewhere: readonly KeyFile[] | null
}

export interface RestoredBackup {
  id: string
  takenAt: string
  version: string
  tables: Record<string, TableDigest>
  /** Tables in the backup that no migration makes. */
  leftOut: string[]
}

/**
 * Restores a backup into an empty deployment, which is paused from its first moment. Reads the whole file and checks
 * keys, version and target before anything is written. Killed, it leaves a mark with which a start refuses and the same
 * restore continues.
 */
export async function restoreBackup(
  from: { path: string; passphrase: Secret },
  target: RestoreTarget,
  onTable: (name: string, digest: TableDigest) => void = () => undefined,
): Promise<RestoredBackup> {
  const backup = await openBackup(from.path, from.passphrase)
  try {
    const facts = await readFacts(backup)
    const keys = checkKeysOf(facts, target)
    await refuseNewer(facts)
    const { manifest, tables } = facts
    const isBegun = await checkFolder(target, manifest.id)
    if (target.databaseUrl) await checkEmpty(target.databaseUrl.reveal(), isBegun ? manifest.id : null)
    await makeDataFolder(target.dataDir)
    await markUnfinishedRestore(target.dataDir, manifest.id)
    await writeFiles(target, facts, keys)
    const leftOut = await withDatabase(target, (url) => loadTables(url, backup, facts, onTable))
    await endUnfinishedRestore(target.dataDir)
    return { id: manifest.id, takenAt: manifest.takenAt, version: manifest.version, tables, leftOut }
  } finally {
    await backup.close()
  }
}

/** The keys to write; none when they are kept elsewhere. Throws when they are not those of the backup's database. */
function checkKeysOf({ manifest, files }: BackupFacts, { keysElsewhere }: RestoreTarget): readonly KeyFile[] {
  if (!manifest.hasKeys && keysElsewhere === null)
    throw new Error('the backup holds no keys, because its deployment keeps them elsewhere; set KEYS, KEYS_FILE or KEYS_COMMAND as there')
  const own = [...files].flatMap(([path, bytes]) => (path.startsWith(`${KEYS_FOLDER}/`) ? [parseKey(bytes.toString('utf8'))] : []))
  if (own.includes(null)) throw new BackupDamaged('the backup holds a key that this version cannot read')
  const keys = keysElsewhere ?? own.filter((key) => key !== null)
  if (manifest.keyFingerprint !== null && !haveFingerprint(keys, manifest.keyFingerprint))
    throw new Error('the keys are not those that the secrets in this backup were encrypted with; give the keys of its deployment')
  return keysElsewhere ? [] : keys
}

async function refuseNewer({ manifest }: BackupFacts): Promise<void> {
  const unknown = await listUnknownMigrations(manifest.migrations)
  if (unknown.length > 0)
    throw new Error(
      `the backup is of Countinghouse ${manifest.version}, whose database this version does not know (${unknown.join(', ')}); restore it with that version or a later one`,
    )
}

/** Whether a restore of this backup was begun here. Throws when the folder holds another deployment. */
async function checkFolder({ dataDir, databaseUrl, keysElsewhere }: RestoreTarget, backupId: string): Promise<boolean> {
  const unfinished = await findUnfinishedRestore(dataDir)
  if (unfinished === backupId) return true
  if (unfinished !== null) throw new Error(`${dataDir} holds an unfinished restore of another backup; empty the folder first`)
  const names = [SOURCES_FILE, ...(keysElsewhere ? [] : [KEYS_FOLDER]), ...(databaseUrl === null ? ['postgres', 'postgres-location'] : [])]
  const found = names.filter((name) => existsSync(join(dataDir, name)))
  if (found.length > 0) throw new Error(`${dataDir} is not empty (${found.join(', ')}); restore into an empty folder`)
  return false
}

async function writeFiles({ dataDir }: RestoreTarget, { files }: BackupFacts, keys: readonly KeyFile[]): Promise<void> {
  if (keys.length > 0) {
    await rm(join(dataDir, KEYS_FOLDER), { recursive: true, force: true })
    await createKeyFolder(join(dataDir, KEYS_FOLDER), keys)
  }
  const sources = files.get(SOURCES_FILE)
  if (sources) await writeDurably(join(dataDir, SOURCES_FILE), sources)
}

async function withDatabase<T>({ dataDir, databaseUrl }: RestoreTarget, work: (url: string) => Promise<T>): Promise<T> {
  if (databaseUrl) return await work(databaseUrl.reveal())
  const postgres = await startEmbeddedPostgres({ dataDir, settings: LOAD_SETTINGS })
  try {
    return await work(postgres.url)
  } finally {
    await postgres.stop()
  }
}

/** Returns the skipped tables. A database that an earlier attempt has completed stays unchanged. */
async function loadTables(
  url: string,
  backup: OpenBackup,
  { manifest }: BackupFacts,
  onTable: (name: string, digest: TableDigest) => void,
): Promise<string[]> {
  if (await checkEmpty(url, manifest.id)) return []
  const load = await beginLoad(url, manifest.migrations)
  try {
    const leftOut: string[] = []
    const frames = backup.frames()
    for (;;) {
      const { value: frame, done } = await frames.next()
      if (done) break
      if ('bytes' in frame || frame.entry.kind !== 'table') continue
      const { entry: table } = frame
      const digest = await loadTable(load, table, frames)
      if (load.has(table)) onTable(table.name, digest)
      else leftOut.push(table.name)
    }
    await load.finish(manifest.id)
    return leftOut
  } finally {
    await load.close()
  }
}

/** Loads the rows up to the end of the table and compares them with what the backup recorded. */
async function loadTable(load: SnapshotLoad, table: SnapshotTable, frames: AsyncGenerator<Frame>): Promise<TableDigest> {
  const digester = new TableDigester()
  let recorded: TableDigest | null = null
  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value: frame, done } = await frames.next()
      if (done) return
      if ('bytes' in frame) {
        digester.push(frame.bytes)
        yield frame.bytes
      } else if (frame.entry.kind === 'tableEnd') {
        recorded = frame.entry.digest
        return
      }
    }
  }
  const pieces = rows()
  const loaded = load.has(table) ? await load.load(table, pieces) : await drain(pieces)
  const digest = digester.end()
  const isSame = recorded !== null && isEqual(digest, recorded) && (loaded === null || loaded === digest.rows)
  if (!isSame) throw new BackupDamaged(`the rows of ${table.name} are not those that the backup recorded`)
  return digest
}

async function drain(pieces: AsyncIterable<Buffer>): Promise<null> {
  for await (const _piece of pieces);
  return null
}

export function isEqual(one: TableDigest, other: TableDigest | undefined): boolean {
  return other !== undefined && one.rows === other.rows && one.hash === other.hash
}
