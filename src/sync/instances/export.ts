import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Database } from '../../store/db/database.ts'
import { SEALED_COLUMNS, toContext } from '../../store/keys/sealed-columns.ts'
import { type SealContext, SealError, type Sealer } from '../../store/keys/sealing.ts'
import { type InstanceSnapshot, openInstanceSnapshot } from '../../store/operators/instance-export.ts'
import type { PageObjects } from '../context/groups.ts'
import { completeValue, ObjectMissing } from '../pages/complete-value.ts'
import { unpackPage } from '../runs/raw-page-store.ts'

const FORMAT = 'countinghouse-instance'
const VERSION = 1
/** Maximum number of exports per process, since each holds a connection of the pool. */
const AT_ONCE = 2
let running = 0

/** Secrets and short-lived rows: useless outside this deployment. */
const LEFT_OUT: readonly string[] = [
  ...[
    'sessions',
    'refresh_tokens',
    'two_steps',
    'recovery_codes',
    'login_challenges',
    'passkey_challenges',
    'password_resets',
    'idempotency_keys',
  ],
  ...[
    'credential_versions',
    'authorizations',
    'subscription_secrets',
    'source_keys',
    'jobs',
    'staged_runs',
    'staged_records',
    'run_pages',
    'recent_changes',
  ],
]
/** Sealed columns that are exported decrypted; all other bytes (secrets, hashes) are excluded. */
const OPENED = SEALED_COLUMNS.filter(({ table }) => ['raw_pages', 'source_files', 'mails', 'hand_offs', 'owner_addresses'].includes(table))

export interface ExportContext {
  database: Database
  sealer: Pick<Sealer, 'openLarge'>
  /** Absent: raw pages are not stored in object storage. */
  pageObjects?: PageObjects | undefined
  /** State of the instance's simulators; absent if the deployment has none. */
  readSimulators?: ((instanceId: string) => Promise<{ key: string; state: object }[]>) | undefined
}

/** Thrown when this process runs the maximum number of exports. */
export class TooManyExports extends Error {}

/**
 * All data of an instance at one point in time as a stream of gzipped JSON lines: a header, one line per row, and a
 * trailer with the number of rows of each table. An archive without the trailer is incomplete. Secrets are excluded.
 * Throws `TooManyExports`.
 */
export async function exportInstance(
  { database, sealer, pageObjects, readSimulators }: ExportContext,
  instance: { id: string; name: string; kind: string },
): Promise<Readable> {
  if (running >= AT_ONCE) throw new TooManyExports()
  running += 1
  const open = async () => {
    const simulators = (await readSimulators?.(instance.id)) ?? []
    return { simulators, snapshot: await openInstanceSnapshot(database, instance.id) }
  }
  const { simulators, snapshot } = await open().catch((error: unknown) => {
    running -= 1
    throw error
  })
  const lines = Readable.from(listLines(snapshot, { sealer, pageObjects }, instance, simulators), {
    objectMode: false,
    highWaterMark: 256 * 1024,
  })
  lines.once('close', () => {
    running -= 1
    snapshot.close()
  })
  const zipped = createGzip()
  pipeline(lines, zipped, () => undefined)
  return zipped
}

async function* listLines(
  { takenAt, tables, listRows }: InstanceSnapshot,
  reader: Pick<ExportContext, 'sealer' | 'pageObjects'>,
  instance: { id: string; name: string; kind: string },
  simulators: readonly object[],
): AsyncGenerator<string> {
  yield toLine({ format: FORMAT, version: VERSION, instance, takenAt, leftOut: LEFT_OUT })
  const counts: Record<string, number> = {}
  for (const table of tables.filter(({ name }) => !LEFT_OUT.includes(name)).toReversed()) {
    const opened = OPENED.filter((column) => column.table === table.name)
    let count = 0
    for await (const { row, sealed } of listRows(table, opened)) {
      // The location of a page is irrelevant to a reader.
      const { password_hash: _, object_id: _id, object_bytes: _bytes, ...shown } = row
      for (const { column, of, bytes, object } of sealed)
        shown[column.column] = await openContent(reader, toContext(column, of), bytes, object)
      count += 1
      yield toLine({ table: table.name, row: shown })
    }
    counts[table.name] = count
  }
  for (const row of simulators) yield toLine({ simulator: row })
  yield toLine({ end: true, rows: counts, simulators: simulators.length })
}

/** Answers of a source by name, otherwise the bytes, each as base64; `unreadable` if no key decrypts the value. */
async function openContent(
  { sealer, pageObjects }: Pick<ExportContext, 'sealer' | 'pageObjects'>,
  context: SealContext,
  sealed: Uint8Array,
  object: { key: string; bytes: number } | null,
): Promise<unknown> {
  try {
    const bytes = await sealer.openLarge(context, await completeValue(pageObjects, sealed, object))
    if (context.table !== 'raw_pages') return toBase64(bytes)
    return Object.fromEntries(Object.entries(await unpackPage(bytes)).map(([name, body]) => [name, toBase64(body)]))
  } catch (error) {
    if (!(error instanceof SealError || error instanceof ObjectMissing)) throw error
    return { unreadable: error.message }
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
