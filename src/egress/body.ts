import type { Dispatcher } from 'undici'

/**
 * Bounded read: at most `maxBytes` of a response, then closes the connection, so that a hostile sender costs neither
 * memory nor time.
 */
export async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<{ body: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes: Uint8Array = chunk
    chunks.push(bytes.subarray(0, maxBytes - size))
    size += bytes.length
    if (size > maxBytes) return { body: Buffer.concat(chunks), truncated: true }
  }
  return { body: Buffer.concat(chunks), truncated: false }
}
