import { jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'

/** An answer that is an error in Flinks' shape. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, code: string, message: string) {
    super(message)
    this.reply = jsonReply(status, { HttpStatusCode: status, FlinksCode: code, Message: message, Links: [] })
  }
}

export function redirectReply(location: string): Reply {
  return { status: 303, type: 'text/plain', body: '', headers: { location, 'cache-control': 'no-store' } }
}

/** A page for people: nothing of it loads anything. */
export function pageReply(status: number, body: string): Reply {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
  return { status, type: 'text/html; charset=utf-8', body, headers: { 'content-security-policy': policy, 'cache-control': 'no-store' } }
}
