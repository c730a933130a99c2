import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { BackupDamaged } from './errors.ts'

/** Maximum size of one file below DATA_DIR. */
export const MAX_FILE_BYTES = 1024 * 1024

const Digest = Type.Object({ rows: Type.Integer({ minimum: 0 }), hash: Type.String() })

/** First entry: what the backup is of. */
const Manifest = Type.Object({
  kind: Type.Literal('manifest'),
  id: Type.String(),
  version: Type.String(),
  takenAt: Type.String(),
  postgres: Type.String(),
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() })),
  /** SHA-256 in hex of the newest token hash key; null if the deployment had no keys yet. */
  keyFingerprint: Type.Union([Type.String(), Type.Null()]),
  /** Whether the key files are in the backup; otherwise they are kept elsewhere, as in a vault. */
  hasKeys: Type.Boolean(),
})
export type Manifest = Static<typeof Manifest>

/** File below DATA_DIR; its bytes follow. */
const FileEntry = Type.Object({ kind: Type.Literal('file'), path: Type.String() })
/** Table; its rows in binary COPY follow. */
const TableEntry = Type.Object({ kind: Type.Literal('table'), name: Type.String(), columns: Type.Array(Type.String()) })
/** Follows the rows of a table. */
const TableEnd = Type.Object({ kind: Type.Literal('tableEnd'), digest: Digest })
/** Last entry. */
const End = Type.Object({ kind: Type.Literal('end'), tables: Type.Record(Type.String(), Digest) })
export type End = Static<typeof End>

const Entry = Type.Union([Manifest, FileEntry, TableEntry, TableEnd, End])
export type Entry = Static<typeof Entry>

/** Either an entry, or bytes of the file or table entry before. */
export type Frame = { entry: Entry } | { bytes: Buffer }

const HEAD_BYTES = 5
const ENTRY = 1
const BYTES = 2
const MAX_ENTRY_BYTES = 16 * 1024 * 1024

/** Frame: kind (1), length (4), then JSON or bytes. */
export function encodeFrame(frame: Frame): Buffer[] {
  const body = 'entry' in frame ? Buffer.from(JSON.stringify(frame.entry)) : frame.bytes
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = 'entry' in frame ? ENTRY : BYTES
  head.writeUInt32BE(body.length, 1)
  return [head, body]
}

/** Frames of a stream of plaintext; bytes may come in smaller pieces than they were written in. */
export async function* decodeFrames(plaintexts: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  /** Bytes of a frame of bytes that are still to come. */
  let missing = 0
  for await (const plaintext of plaintexts) {
    let at = 0
    const bytes = rest.length > 0 ? Buffer.concat([rest, plaintext]) : plaintext
    for (;;) {
      if (missing > 0) {
        const piece = bytes.subarray(at, at + missing)
        if (piece.length > 0) yield { bytes: piece }
        at += piece.length
        missing -= piece.length
      }
      if (at + HEAD_BYTES > bytes.length) break
      const length = bytes.readUInt32BE(at + 1)
      if (bytes[at] === BYTES) {
        missing = length
        at += HEAD_BYTES
        continue
      }
      if (length > MAX_ENTRY_BYTES) throw new BackupDamaged('the backup holds an entry that is too long')
      if (at + HEAD_BYTES + length > bytes.length) break
      yield { entry: parseEntry(bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length)) }
      at += HEAD_BYTES + length
    }
    rest = bytes.subarray(at)
  }
  if (rest.length > 0 || missing > 0) throw new BackupDamaged('the backup ends in the middle of an entry')
}

function parseEntry(bytes: Buffer): Entry {
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  if (!Check(Entry, value)) throw new BackupDamaged('the backup holds an entry that this version does not know')
  return value
}
