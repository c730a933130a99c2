import { jsonReply, textReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'

/** An answer that is an error in the shape of ErrorMessage. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, code: number, message: string) {
    super(message)
    this.reply = jsonReply(status, { code: String(code), status: String(status), message })
  }
}

export function badField(message: string): Refusal {
  return new Refusal(400, 10005, message)
}

export const KEY_REFUSED: Reply = textReply(401, 'Invalid (Finicity-App-Key)')
export const NO_CONTENT: Reply = { status: 204, type: 'application/json', body: '' }

export function redirectReply(location: string): Reply {
  return { status: 303, type: 'text/plain', body: '', headers: { location, 'cache-control': 'no-store' } }
}

/** A page for people: nothing of it loads or frames anything. */
export function pageReply(status: number, body: string): Reply {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
  return { status, type: 'text/html; charset=utf-8', body, headers: { 'content-security-policy': policy, 'cache-control': 'no-store' } }
}
