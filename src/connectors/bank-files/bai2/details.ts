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

/** Maximum number of distributions (funds type D); a record with more is invalid. */
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

/** Whether a record has reached its text: a continuation is then text, too, whatever commas it contains. */
export function hasText(body: string): boolean {
  const fundsAt = fieldStart(body, 0, 2)
  const bankAt = referencesStart(body, fundsAt, fieldStart(body, fundsAt, 1))
  return fieldStart(body, bankAt, 2) !== -1
}

/** Offset of the two references, after the fields of the funds type. */
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

/** Field between two offsets, without the comma before the second; to the end when there is no second. */
function field(body: string, start: number, next: number): string {
  if (start === -1) return ''
  return (next === -1 ? body.slice(start) : body.slice(start, next - 1)).trim()
}
