import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostedAnswer } from './hosted-link.ts'

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

export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' })
  response.end(text)
}

/** The first half of an answer, as if it were all: the cut shows only in the JSON. */
export function sendTruncated(response: ServerResponse, text: string): void {
  sendText(response, 200, 'application/json', text.slice(0, Math.floor(text.length / 2)))
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
  const timer = setTimeout(() => sendText(response, 200, 'application/json', text), SLOW_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}

export function sendHosted(response: ServerResponse, answer: HostedAnswer): void {
  if ('redirect' in answer) {
    response.writeHead(303, { location: answer.redirect, 'cache-control': 'no-store' })
    response.end()
    return
  }
  response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
  response.setHeader('referrer-policy', 'no-referrer')
  sendText(response, answer.status, 'text/html; charset=utf-8', answer.html)
}
