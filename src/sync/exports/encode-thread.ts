import { parentPort, workerData } from 'node:worker_threads'
import { constants, zstdCompressSync } from 'node:zlib'
import { type EncodeSegment, type EncodeTarget, encodeSegments } from './encode.ts'

/** Piece to be encoded. */
export interface EncodeRequest {
  segments: EncodeSegment[]
  isFirst: boolean
}

/** Compressed piece with the length of its text; or what went wrong. */
export type EncodeReply = { bytes: number; compressed: Uint8Array<ArrayBuffer> } | { failure: string }

/** Entry point of an encoder's thread. */
const port = parentPort
if (port === null) throw new Error('this runs in a thread only')
const target: EncodeTarget = workerData
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

port.on('message', ({ segments, isFirst }: EncodeRequest) => {
  try {
    const text = Buffer.from(encodeSegments(target, segments, isFirst))
    const compressed = new Uint8Array(zstdCompressSync(text, OPTIONS))
    port.postMessage({ bytes: text.length, compressed } satisfies EncodeReply, [compressed.buffer])
  } catch (error) {
    // NOTE without the message, which may quote a document.
    port.postMessage({ failure: error instanceof Error ? error.name : 'no error' } satisfies EncodeReply)
  }
})
