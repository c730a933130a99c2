/** Content of the first line of a field 61; texts as written, references trimmed. */
interface Movement {
  /** Value day, `YYMMDD`. */
  valued: string
  /** Booking day, `MMDD`; null when absent. */
  booked: string | null
  /** `C`, `D`, or a reversal (`RC`, `RD`) or expectation (`EC`, `ED`) of one. */
  mark: string
  amount: string
  /** SWIFT transaction type: `NTRF`, `S103` … */
  type: string | null
  /** Reference of the account owner, and of the bank after `//`. */
  customer: string
  bank: string
}

const COMMA = 0x2c
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const UPPER_A = 0x41
const UPPER_C = 0x43
const UPPER_D = 0x44
const UPPER_E = 0x45
const UPPER_R = 0x52
const UPPER_Z = 0x5a

/** Placeholders of some banks for an absent entry date. */
const NO_ENTRY_DATE = '    '

const MAX_AMOUNT = 20
const MAX_REST = 200

/**
 * `YYMMDD[MMDD](C|D|RC|RD|EC|ED)[funds]amount[type]references`; null when it has another form. Hand-written parser,
 * because a statement consists mostly of these lines.
 * Source: https://www2.swift.com/knowledgecentre/publications/us9m (MT940, field 61)
 */
export function scanMovement(line: string): Movement | null {
  const days = runOfDigits(line, 0)
  if (days !== 6 && days !== 10) return null
  const markAt = days === 6 && line.startsWith(NO_ENTRY_DATE, 6) ? 10 : days
  const first = line.charCodeAt(markAt)
  const markLength = first === UPPER_R || first === UPPER_E ? 2 : 1
  const fundsAt = markAt + markLength
  const direction = line.charCodeAt(fundsAt - 1)
  if (direction !== UPPER_C && direction !== UPPER_D) return null
  const amountAt = isLetter(line.charCodeAt(fundsAt)) ? fundsAt + 1 : fundsAt
  if (!isDigit(line.charCodeAt(amountAt))) return null
  const amountEnd = endOfAmount(line, amountAt)
  const typeEnd = isType(line, amountEnd) ? amountEnd + 4 : amountEnd
  const end = Math.min(line.length, typeEnd + MAX_REST)
  const slashes = line.indexOf('//', typeEnd)
  const hasBank = slashes !== -1 && slashes < end
  return {
    valued: line.slice(0, 6),
    booked: days === 10 ? line.slice(6, 10) : null,
    mark: line.slice(markAt, fundsAt),
    amount: line.slice(amountAt, amountEnd),
    type: typeEnd > amountEnd ? line.slice(amountEnd, typeEnd) : null,
    customer: line.slice(typeEnd, hasBank ? slashes : end).trim(),
    bank: hasBank ? bankReference(line.slice(slashes + 2, end)) : '',
  }
}

function bankReference(text: string): string {
  const next = text.indexOf('//')
  return (next === -1 ? text : text.slice(0, next)).trim()
}

function runOfDigits(line: string, start: number): number {
  let at = start
  while (isDigit(line.charCodeAt(at))) at += 1
  return at - start
}

function endOfAmount(line: string, start: number): number {
  let at = start
  for (const last = start + MAX_AMOUNT; at < last; at += 1) {
    const code = line.charCodeAt(at)
    if (!isDigit(code) && code !== COMMA && code !== POINT) break
  }
  return at
}

function isType(line: string, at: number): boolean {
  return (
    isLetter(line.charCodeAt(at)) &&
    isLetterOrDigit(line.charCodeAt(at + 1)) &&
    isLetterOrDigit(line.charCodeAt(at + 2)) &&
    isLetterOrDigit(line.charCodeAt(at + 3))
  )
}

function isLetterOrDigit(code: number): boolean {
  return isLetter(code) || isDigit(code)
}

function isLetter(code: number): boolean {
  return code >= UPPER_A && code <= UPPER_Z
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
