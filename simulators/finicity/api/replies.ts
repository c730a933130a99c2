import { jsonReply, textReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'

/** Thrown to answer with an error in ErrorMessage format. */
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
