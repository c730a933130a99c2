import { constants as osConstants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, zstdCompressSync } from 'node:zlib'
import { type EncodeSegment, type EncodeTarget, NotEncodable } from './encode-target.ts'
import { encodeText } from './encode-text.ts'
import { writeParquet } from './parquet.ts'

/** Piece to encode. */
export interface EncodeRequest {
  segments: EncodeSegment[]
  /** Offset of its first byte in the file. */
  startsAt: number
  /** For the last piece: the summaries of all earlier pieces. */
  earlier: string[] | null
}

export interface EncodedPiece {
  /** Length before compression. */
  bytes: number
  compressed: Uint8Array<ArrayBuffer>
  /** Summary that the end of the file repeats; null for formats without. */
  summary: string | null
}

export type EncodeReply = EncodedPiece | { failure: 'notEncodable' | 'failed'; stack: string }

/** Entry point of an encoder thread. */
const port = parentPort
if (port === null) throw new Error('this runs in a thread only')
const target: EncodeTarget = workerData
// NOTE on Linux the priority of this thread alone; elsewhere it would be that of the whole process. Source: https://man7.org/linux/man-pages/man2/setpriority.2.html (Notes)
if (process.platform === 'linux') setPriority(osConstants.priority.PRIORITY_BELOW_NORMAL)

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

port.on('message', (request: EncodeRequest) => {
  try {
    const { bytes, summary } = encode(request)
    const compressed = new Uint8Array(zstdCompressSync(bytes, OPTIONS))
    port.postMessage({ bytes: bytes.length, compressed, summary } satisfies EncodeReply, [compressed.buffer])
  } catch (error) {
    const failure = error instanceof NotEncodable ? 'notEncodable' : 'failed'
    // NOTE omits the message, which may quote a document.
    const stack = error instanceof Error ? `${error.name}\n${error.stack?.split('\n').slice(1).join('\n')}` : 'no error'
    port.postMessage({ failure, stack } satisfies EncodeReply)
  }
})

function encode({ segments, startsAt, earlier }: EncodeRequest): { bytes: Uint8Array; summary: string | null } {
  if (target.format === 'parquet') return writeParquet(target, segments, startsAt, earlier)
  return { bytes: encodeText(target, segments, startsAt === 0), summary: null }
}
