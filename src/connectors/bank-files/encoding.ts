/** How far we look for a declaration or for NUL bytes. */
const HEAD_BYTES = 4096

/**
 * The text of a file. A byte order mark decides; then whatever is valid UTF-8 is UTF-8, since banks write it under any header;
 * the rest is read in the encoding that it declares, or as windows-1252. Null when the bytes are no text.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const wide = wideEncoding(bytes)
  if (wide !== null) return new TextDecoder(wide).decode(bytes)
  if (bytes.subarray(0, HEAD_BYTES).includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return new TextDecoder(declaredEncoding(bytes)).decode(bytes)
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
