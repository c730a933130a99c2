/** The fields of a detail record (16), trimmed; absent ones are empty. */
interface Detail {
  code: string
  amount: string
  /** Value date `YYMMDD` of funds type V. */
  valued: string
  bankReference: string
  customerReference: string
  text: string
}

/** Distributed funds (type D) count their days; more than this is no record. */
const MAX_FUNDS_PAIRS = 100

export function readDetail(body: string): Detail {
  const amountAt = fieldStart(body, 0, 1)
  const fundsAt = fieldStart(body, amountAt, 1)
  const afterFunds = fieldStart(body, fundsAt, 1)
  const bankAt = referencesStart(body, fundsAt, afterFunds)
  const customerAt = fieldStart(body, bankAt, 1)
  const textAt = fieldStart(body, customerAt, 1)
  return {
    code: field(body, 0, amountAt),
    amount: field(body, amountAt, fundsAt),
    valued: body[fundsAt] === 'V' ? field(body, afterFunds, fieldStart(body, afterFunds, 1)) : '',
    bankReference: field(body, bankAt, customerAt),
    customerReference: field(body, customerAt, textAt),
    text: textAt === -1 ? '' : body.slice(textAt).trim(),
  }
}

/** Whether a record has come to its text: what is continued then is text too, whatever commas it holds. */
export function hasText(body: string): boolean {
  const fundsAt = fieldStart(body, 0, 2)
  const bankAt = referencesStart(body, fundsAt, fieldStart(body, fundsAt, 1))
  return fieldStart(body, bankAt, 2) !== -1
}

/** Where the two references begin, after what the funds type brings along. */
function referencesStart(body: string, fundsAt: number, afterFunds: number): number {
  if (fundsAt === -1 || afterFunds === -1) return -1
  switch (body[fundsAt]) {
    case 'V':
      return fieldStart(body, afterFunds, 2)
    case 'S':
      return fieldStart(body, afterFunds, 3)
    case 'D': {
      const pairs = Number.parseInt(body.slice(afterFunds, afterFunds + 4), 10)
      return fieldStart(body, afterFunds, 1 + 2 * Math.min(Number.isNaN(pairs) ? 0 : pairs, MAX_FUNDS_PAIRS))
    }
    default:
      return afterFunds
  }
}

/** Offset after `count` more commas; -1 when there are fewer. */
function fieldStart(body: string, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0 && at !== -1; left -= 1) {
    const comma = body.indexOf(',', at)
    at = comma === -1 ? -1 : comma + 1
  }
  return at
}

/** The field that begins at one offset, up to the comma before the next; to the end when there is no next. */
function field(body: string, start: number, next: number): string {
  if (start === -1) return ''
  return (next === -1 ? body.slice(start) : body.slice(start, next - 1)).trim()
}
