/** Anything JSON can hold, as parsed by `parseJson`. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Digits a double always gives back unchanged. */
const EXACT_DIGITS = 15
/** What stands before a number is never a quote: ids of many digits are text in most sources, and cost nothing then. */
const LONG_NUMBER = /(?:^|[:,[\s-])[0-9][0-9.]{15}/

/**
 * Parses JSON without ever changing a number: a literal of more than 15 digits stays the text that stood there.
 * So a number field of a source is `number | string`; `toDecimal` reads both.
 */
export function parseJson(text: string): Json {
  // The reviver costs seven times the parsing, so it is asked only where a long number may stand.
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as Json
  return JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown) as Json
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const digits = context.source.replace(/[eE].*$/, '').replace(/[^0-9]/g, '')
  return digits.length > EXACT_DIGITS ? context.source : value
}
