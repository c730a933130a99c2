import Big from 'big.js'

declare const decimalBrand: unique symbol

/**
 * Exact decimal as plain text: `-?digits[.digits]`, no exponent, no leading or trailing zeros. Money and rates are
 * always this, never a `number`.
 */
export type Decimal = string & { readonly [decimalBrand]: true }

/** Already canonical, as most sources send it: arithmetic cannot change it. */
const PLAIN = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/

/** Maximum length of a number; longer input is not money. */
const MAX_LENGTH = 60

/**
 * Parses a source's number. Absent (`null`, `undefined`, blank text) stays `null`; text that is not a number throws
 * `RangeError`. A JavaScript number is read by its shortest exact text, which is what a JSON document of at most 15
 * digits contained.
 */
export function toDecimal(value: string | number | null | undefined): Decimal | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'number' ? String(value) : value.trim()
  if (text === '') return null
  if (text.length > MAX_LENGTH || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?$/.test(text)) throw new RangeError('not a decimal number')
  if (PLAIN.test(text)) return text as Decimal
  return print(new Big(text.replace(/^\+/, '')))
}

/**
 * Minor units to decimal: `12345` with 2 digits is `123.45`. The number of digits depends on the currency (JPY 0, KWD
 * 3).
 */
export function fromMinorUnits(minor: string | number, digits: number): Decimal {
  // By the exponent: a division would round at 20 decimal places.
  return print(new Big(`${String(minor).trim()}e-${digits}`))
}

export function negate(value: Decimal): Decimal
export function negate(value: Decimal | null): Decimal | null
export function negate(value: Decimal | null): Decimal | null {
  return value === null ? null : print(new Big(value).times(-1))
}

export function absolute(value: Decimal): Decimal
export function absolute(value: Decimal | null): Decimal | null
export function absolute(value: Decimal | null): Decimal | null {
  return value === null ? null : print(new Big(value).abs())
}

export function add(...values: Decimal[]): Decimal {
  return print(values.reduce((sum, value) => sum.plus(value), new Big(0)))
}

/** Comparison: negative when `a` is smaller, 0 when equal, positive when larger. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  return new Big(a).cmp(b)
}

function print(value: Big): Decimal {
  const text = value.toFixed()
  return (text === '-0' ? '0' : text) as Decimal
}
