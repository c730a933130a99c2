import type { IncomingMessage, ServerResponse } from 'node:http'

const MAX_REQUEST_BYTES = 1_048_576
const HUGE_BYTES = 48 * 1_048_576
const SLOW_MS = 90_000

export async function readRequestText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const part = Buffer.from(chunk)
    size += part.length
    if (size > MAX_REQUEST_BYTES) throw new RangeError('request too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function sendText(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) }
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...length, ...headers })
  response.end(text)
}

export function sendPage(response: ServerResponse, html: string): void {
  sendText(response, 200, html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  })
}

/** Far more bytes than any answer has. */
export function sendHuge(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(65_536, 0x20)
  let left = HUGE_BYTES / chunk.length
  const more = (): void => {
    while (left-- > 0) {
      if (response.destroyed) return
      if (!response.write(chunk)) {
        response.once('drain', more)
        return
      }
    }
    response.end('{}')
  }
  more()
}

/** Answers only after longer than anyone waits; forgotten when the caller hangs up. */
export function sendSlowly(response: ServerResponse, text: string): void {
  const timer = setTimeout(() => sendText(response, 200, text), SLOW_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}
