import type { ServerResponse } from 'node:http'

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
