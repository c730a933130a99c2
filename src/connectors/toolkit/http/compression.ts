import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { hasCode } from '../../../model/error-code.ts'

/** Decoders by `content-encoding`. Source: https://www.rfc-editor.org/rfc/rfc9110#name-content-codings */
const CODINGS = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

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
    return await CODINGS[coding](body, { maxOutputLength: maxBytes })
  } catch (error) {
    return hasCode(error, 'ERR_BUFFER_TOO_LARGE') ? 'tooLarge' : 'broken'
  }
}

function codingOf(headers: Record<string, string>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}

function isKnown(coding: string): coding is keyof typeof CODINGS {
  return Object.hasOwn(CODINGS, coding)
}
