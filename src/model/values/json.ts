/** JSON value, as parsed by `parseJson`. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Digits that a double always preserves. */
const EXACT_DIGITS = 15
/** Numbers after a quote are not matched: ids of many digits are text in most sources and then cost nothing. */
const LONG_NUMBER = /(?:^|[:,[\s-])[0-9][0-9.]{15}/

/** NUL in a text: JSON has no other way to write it. */
const NUL_ESCAPE = '\\u0000'

/**
 * Lossless JSON parser: a number literal of more than 15 digits stays text. So a source's number field is `number |
 * string`; `toDecimal` reads both. Only NUL characters are left out of texts: PostgreSQL stores none.
 */
export function parseJson(text: string): Json {
  // The reviver takes seven times as long as the parsing, so it is used only when a long number or NUL is possible.
  if (!LONG_NUMBER.test(text) && !text.includes(NUL_ESCAPE)) return JSON.parse(text) as Json
  return JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown) as Json
}

/** Parsed JSON as by `parseJson`, or null if the text is not JSON. */
export function parseJsonOrNull(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '')
  if (typeof value !== 'number' || context?.source === undefined) return value
  return isLongNumber(context.source) ? context.source : value
}

/** Whether `parseJson` keeps the literal of a number as text. */
export function isLongNumber(literal: string): boolean {
  const digits = literal.replace(/[eE].*$/, '').replace(/[^0-9]/g, '')
  return digits.length > EXACT_DIGITS
}
