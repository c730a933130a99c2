import { shortHash, type TransactionPart } from '../parts.ts'

/**
 * Ids of the transactions of one statement: the bank's own, or content with a count among equals, so that a second
 * upload finds them again.
 */
export class TransactionIds {
  readonly statement: number
  readonly #seen = new Map<string, number>()
  readonly #fitids = new Map<string, string>()

  readonly #former: (text: string) => string

  /** `former` returns a text as it was decoded when ids were first computed. */
  constructor(statement: number, former: (text: string) => string = (text) => text) {
    this.statement = statement
    this.#former = former
  }

  next({ record, fitid, identifiedBy }: TransactionPart): string {
    const { accountOrigId, amount } = record
    if (fitid !== null) {
      const id = shortHash(accountOrigId, 'fitid', fitid)
      const content = `${record.booked} ${amount.text}`
      const known = this.#fitids.get(id)
      if (known === undefined) this.#fitids.set(id, content)
      // NOTE some banks number from 1 in each batch: a reused id with another day or amount is another transaction.
      return known === undefined || known === content ? id : shortHash(accountOrigId, 'fitid', fitid, content)
    }
    const { name, text } = identifiedBy ?? record
    const content = shortHash(
      accountOrigId,
      record.booked,
      record.valued,
      amount.text,
      amount.mark,
      record.currency,
      record.type && this.#former(record.type),
      name && this.#former(name),
      text && this.#former(text),
      record.reference && this.#former(record.reference),
    )
    const count = this.#seen.get(content) ?? 0
    this.#seen.set(content, count + 1)
    return count === 0 ? content : `${content}-${count}`
  }
}
