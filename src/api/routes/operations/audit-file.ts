import { Readable } from 'node:stream'
import { toCsvLine } from '../../../model/texts/csv.ts'
import { listAuditAfter, type RecordedEntry } from '../../../store/access/audit.ts'
import type { Db } from '../../../store/db/database.ts'
import type { Filter } from '../../../store/db/list-selection.ts'
import type { PinnedReads } from '../../../store/db/replicas/pinned-reads.ts'
import { presentEntry } from './audit-shapes.ts'

export const AUDIT_FORMATS = ['csv', 'jsonl'] as const
export type AuditFormat = (typeof AUDIT_FORMATS)[number]

/** Entries fetched per batch: bounds memory for any number of entries. */
const BATCH = 500
const TYPES: Record<AuditFormat, string> = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' }
const COLUMNS = [
  ...['position', 'recordedOn', 'action', 'actor', 'userId', 'actorId', 'network', 'requestId', 'subject'],
  ...['before', 'after', 'withheld', 'details', 'hash'],
]

interface AuditFile {
  format: AuditFormat
  filter: Filter
  /** Position of its last entry. */
  until: number
  /** In the scope of the instance, from servers that have this entry. */
  inScope: PinnedReads
}

/** All matching entries of an instance up to one, oldest first, generated while they are sent. */
export function openAuditFile(db: Db, instanceId: string, file: AuditFile): { type: string; stream: Readable } {
  return { type: TYPES[file.format], stream: Readable.from(write(db, instanceId, file)) }
}

async function* write(db: Db, instanceId: string, { format, filter, until, inScope }: AuditFile): AsyncGenerator<string> {
  // With a byte order mark, by which spreadsheets detect UTF-8.
  if (format === 'csv') yield `\ufeff${toCsvLine(COLUMNS)}`
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after
    // A stream is read outside the request's scope.
    const entries: RecordedEntry[] = await inScope(() => listAuditAfter(db, instanceId, { after: from, until }, BATCH, filter))
    if (entries.length > 0) yield entries.map(format === 'csv' ? toLine : toJsonLine).join('')
    after = entries.length < BATCH ? undefined : entries.at(-1)?.position
  }
}

function toLine(recorded: RecordedEntry): string {
  const { withheld, details, ...rest } = presentEntry(recorded)
  const shown: Record<string, unknown> = {
    ...rest,
    withheld: withheld.join(' '),
    details: Object.keys(details).length > 0 ? details : null,
    hash: recorded.hash,
  }
  return toCsvLine(COLUMNS.map((column) => shown[column]))
}

function toJsonLine(recorded: RecordedEntry): string {
  return `${JSON.stringify({ ...presentEntry(recorded), hash: recorded.hash })}\n`
}
