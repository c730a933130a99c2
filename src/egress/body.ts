import { joinLarge } from '../model/steps/large-bytes.ts'

/**
 * Bounded read: at most `maxBytes` of a response, then closes the connection, so that a hostile sender costs neither
 * memory nor time.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<{ body: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const bytes of body) {
    chunks.push(bytes.subarray(0, maxBytes - size))
    size += bytes.length
    if (size > maxBytes) return { body: await joinLarge(chunks), truncated: true }
  }
  return { body: await joinLarge(chunks), truncated: false }
}
