import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { joinLarge } from '../../../model/steps/large-bytes.ts'

/** Decoders by `content-encoding`. Source: https://www.rfc-editor.org/rfc/rfc9110#name-content-codings */
const CODINGS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
/** Bytes that come out at once; with the 16 KiB of Node.js a large answer takes twice the processor time. */
const CHUNK_BYTES = 64 * 1024

interface Packed {
  headers: Record<string, string>
  body: Uint8Array
}

export function isCompressed({ headers, body }: Packed): boolean {
  return body.length > 0 && codingOf(headers) !== 'identity'
}

/**
 * Decompressed body; stops as soon as it exceeds `maxBytes`, so that a small response cannot fill the memory (zip
 * bomb).
 */
export async function decompress({ headers, body }: Packed, maxBytes: number): Promise<Uint8Array | 'tooLarge' | 'broken'> {
  const coding = codingOf(headers)
  if (!isKnown(coding)) return 'broken'
  try {
    return await collect(CODINGS[coding]({ chunkSize: CHUNK_BYTES }).end(body), maxBytes)
  } catch {
    return 'broken'
  }
}

async function collect(decoder: Transform, maxBytes: number): Promise<Uint8Array | 'tooLarge'> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of decoder) {
    const part: Uint8Array = chunk
    size += part.length
    if (size > maxBytes) return 'tooLarge'
    parts.push(part)
  }
  return await joinLarge(parts)
}

function codingOf(headers: Record<string, string>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}

function isKnown(coding: string): coding is keyof typeof CODINGS {
  return Object.hasOwn(CODINGS, coding)
}
