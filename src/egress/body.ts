import type { Dispatcher } from 'undici'

/**
 * Reads at most `maxBytes` of an answer and drops the connection when there is more: what a hostile sender adds costs neither memory
 * nor time.
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
