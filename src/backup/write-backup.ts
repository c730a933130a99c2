import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../model/error-code.ts'
import type { Secret } from '../model/values/secret.ts'
import { keyFileName, readKeyFiles, toKeyText } from '../store/keys/key-files.ts'
import { haveFingerprint } from '../store/keys/key-fingerprints.ts'
import type { KeysElsewhere } from '../store/keys/keys-elsewhere.ts'
import { openSnapshot, type Snapshot } from '../store/snapshot/open-snapshot.ts'
import { type TableDigest, TableDigester } from '../store/snapshot/table-digest.ts'
import type { SnapshotTable } from '../store/snapshot/tables.ts'
import { BackupWriter } from './format/backup-writer.ts'
import { MAX_FILE_BYTES, type Manifest } from './format/entries.ts'

/** Folder of the keys, and the operator's source keys, below DATA_DIR. */
export const KEYS_FOLDER = 'keys'
export const SOURCES_FILE = 'sources.json'

export interface BackupSource {
  databaseUrl: string
  dataDir: string
  /** Keys that are kept elsewhere and stay out of the backup; null: those of `dataDir` are in it. */
  keysElsewhere: KeysElsewhere | null
  /** Version of Countinghouse. */
  version: string
}

export interface WrittenBackup {
  id: string
  takenAt: Date
  fileBytes: number
  tables: Record<string, TableDigest>
}

/**
 * Writes one encrypted file of database, keys and `sources.json` at one point in time, while the service works. Throws
 * when the keys are not those of the database; an incomplete file is removed.
 */
export async function writeBackup(
  source: BackupSource,
  to: { path: string; passphrase: Secret; signal: AbortSignal },
  onTable: (name: string, digest: TableDigest) => void = () => undefined,
): Promise<WrittenBackup> {
  const snapshot = await openSnapshot(source.databaseUrl)
  try {
    // After the snapshot: keys are only ever added, so none that it needs is missing.
    const files = await readFiles(source, snapshot)
    const writer = await BackupWriter.create(to.path, to.passphrase)
    try {
      const manifest = toManifest(source, snapshot)
      await writer.write({ entry: manifest })
      for (const [path, bytes] of files) {
        await writer.write({ entry: { kind: 'file', path } })
        await writer.write({ bytes })
      }
      const tables: Record<string, TableDigest> = {}
      for (const table of snapshot.tables) {
        const digest = await writeTable(writer, snapshot, table, to.signal)
        tables[table.name] = digest
        onTable(table.name, digest)
      }
      await writer.write({ entry: { kind: 'end', tables } })
      return { id: manifest.id, takenAt: snapshot.takenAt, fileBytes: await writer.end(), tables }
    } catch (error) {
      await writer.abandon()
      throw error
    }
  } finally {
    await snapshot.close()
  }
}

function toManifest({ version, keysElsewhere }: BackupSource, snapshot: Snapshot): Manifest {
  return {
    kind: 'manifest',
    id: randomUUID(),
    version,
    takenAt: snapshot.takenAt.toISOString(),
    postgres: snapshot.serverVersion,
    migrations: snapshot.migrations,
    keyFingerprint: snapshot.keyFingerprint?.toString('hex') ?? null,
    hasKeys: keysElsewhere === null,
  }
}

async function writeTable(writer: BackupWriter, snapshot: Snapshot, table: SnapshotTable, signal: AbortSignal): Promise<TableDigest> {
  await writer.write({ entry: { kind: 'table', name: table.name, columns: table.columns } })
  const digester = new TableDigester()
  for await (const bytes of snapshot.readTable(table)) {
    signal.throwIfAborted()
    digester.push(bytes)
    await writer.write({ bytes })
  }
  const digest = digester.end()
  await writer.write({ entry: { kind: 'tableEnd', digest } })
  return digest
}

async function readFiles({ dataDir, keysElsewhere }: BackupSource, { keyFingerprint }: Snapshot): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const place = keysElsewhere?.name ?? join(dataDir, KEYS_FOLDER)
  const keys = keysElsewhere?.read() ?? (await readKeyFiles(place)) ?? []
  if (keyFingerprint !== null && !haveFingerprint(keys, keyFingerprint.toString('hex')))
    throw new Error(
      `the keys in ${place} are ${keys.length === 0 ? 'missing' : 'not those of this database'}, so nobody could read the backup; set DATA_DIR and KEYS as for the service`,
    )
  if (keysElsewhere === null) for (const key of keys) files.set(`${KEYS_FOLDER}/${keyFileName(key)}`, Buffer.from(toKeyText(key)))
  const sources = await readOptional(join(dataDir, SOURCES_FILE))
  if (sources && sources.length > MAX_FILE_BYTES) throw new Error(`${SOURCES_FILE} has more than 1 MiB, which no restore would take`)
  if (sources) files.set(SOURCES_FILE, sources)
  return files
}

async function readOptional(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
