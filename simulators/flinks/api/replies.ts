import { jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'

/** Thrown to answer with an error in Flinks' format. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, code: string, message: string) {
    super(message)
    this.reply = jsonReply(status, { HttpStatusCode: status, FlinksCode: code, Message: message, Links: [] })
  }
}
