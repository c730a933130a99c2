import type { ServerResponse } from 'node:http'

const HUGE_BYTES = 48 * 1_048_576
const SLOW_MS = 90_000

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
export function sendSlowly(response: ServerResponse, send: () => void): void {
  const timer = setTimeout(send, SLOW_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}
