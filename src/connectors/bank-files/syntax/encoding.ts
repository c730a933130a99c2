import { decodeDos, isDosText } from './dos-text.ts'

/** Length of the text searched for a declaration or NUL bytes. */
const HEAD_BYTES = 4096

interface Decoded {
  text: string
  /** Decoded with a DOS code page. */
  isDos: boolean
}

/**
 * Decodes a file. A byte order mark decides; otherwise valid UTF-8 is UTF-8, since banks write it under any header; the
 * rest is decoded as declared. BAI2 and MT940 declare nothing: their letters distinguish a DOS code page from
 * windows-1252. Null when the bytes are not text.
 */
export function decodeText(bytes: Uint8Array): Decoded | null {
  const wide = wideEncoding(bytes)
  if (wide !== null) return { text: new TextDecoder(wide).decode(bytes), isDos: false }
  if (bytes.subarray(0, HEAD_BYTES).includes(0)) return null
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isDos: false }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    if (isDosText(bytes)) return { text: decodeDos(bytes), isDos: true }
    return { text: new TextDecoder(declaredEncoding(bytes)).decode(bytes), isDos: false }
  }
}

/** UTF-16 by its byte order mark, or by the NUL bytes around a first `<`. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return null
}

/** `encoding="…"` of XML; an OFX header says 1252 or nothing reliable. ISO-8859-1 is decoded as windows-1252, its superset. */
function declaredEncoding(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES))
  const label = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_-]{1,30})["']/.exec(head)?.[1] ?? 'windows-1252'
  try {
    const { encoding } = new TextDecoder(label)
    return encoding === 'utf-8' || encoding.startsWith('utf-16') ? 'windows-1252' : encoding
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return 'windows-1252'
  }
}
