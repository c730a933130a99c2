import type { ServerResponse } from 'node:http'
import type { HostedAnswer } from './hosted-link.ts'

export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' })
  response.end(text)
}

/** The first half of an answer, as if it were all: the cut shows only in the JSON. */
export function sendTruncated(response: ServerResponse, text: string): void {
  sendText(response, 200, 'application/json', text.slice(0, Math.floor(text.length / 2)))
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
