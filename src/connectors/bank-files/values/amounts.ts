import { type Decimal, fromMinorUnits, negate, toDecimal } from '../../../model/values/decimal.ts'
import type { LocalizedText } from '../../../model/values/text.ts'
import type { Amount } from '../wire.ts'

/**
 * Currencies whose minor unit is not a hundredth.
 * Source: https://www.six-group.com/en/products-services/financial-information/data-standards.html (ISO 4217, list one)
 */
const MINOR_DIGITS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}

/** Marks of money out: debit, reversal of a credit, expected debit, ISO 20022 debit. */
const DEBIT_MARKS: ReadonlySet<string | null> = new Set(['D', 'RC', 'ED', 'DBIT'])

const PLAIN = /^[+-]?\d{1,24}(\.\d{0,10})?$/
/** Unambiguous form, which most banks outside America write. */
const COMMA_DECIMAL = /^\d{1,24},\d{0,10}$/

/** Decimal places of sums. */
const SCALE_DIGITS = 10
const UNITS_OF_HUNDREDTH = 10n ** BigInt(SCALE_DIGITS - 2)

/** Longest text whose hundredths fit exactly into a double. */
const HUNDREDTHS_LENGTH = 14
const COMMA = 0x2c
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/**
 * Amount as `-?digits[.digits]`, whatever separators the bank uses: `1 234,56`, `1,234.56`, `1.234,56`, `,50`. A single
 * comma is the decimal sign. Null when it is not an amount.
 */
export function plainAmount(text: string): string | null {
  if (PLAIN.test(text)) return text
  if (COMMA_DECIMAL.test(text)) return text.replace(',', '.')
  if (text.length > 40 || !/\d/.test(text)) return null
  let digits = text.replace(/[\s\u00a0\u202f']/g, '')
  const comma = digits.lastIndexOf(',')
  const point = digits.lastIndexOf('.')
  const isCommaDecimal = comma > point && (point !== -1 || digits.indexOf(',') === comma)
  digits = isCommaDecimal ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '')
  digits = digits.replace(/^([+-]?)\./, '$10.')
  return PLAIN.test(digits) ? digits : null
}

function minorDigits(currency: string): number {
  return MINOR_DIGITS[currency] ?? 2
}

function isDebit(mark: string | null): boolean {
  return DEBIT_MARKS.has(mark)
}

/** Signed amount: negative when marked as debit. Null stays null; other text throws `RangeError`. */
export function signedAmount(amount: Amount, currency: string): Decimal
export function signedAmount(amount: Amount | undefined, currency: string): Decimal | null
export function signedAmount(amount: Amount | undefined, currency: string): Decimal | null {
  if (amount === undefined) return null
  const plain = plainAmount(amount.text)
  const value = plain === null ? null : toDecimal(plain)
  if (value === null) throw new RangeError('not an amount')
  const major = amount.unit === 'minor' ? fromMinorUnits(value, minorDigits(amount.currency ?? currency)) : value
  return isDebit(amount.mark) ? negate(major) : major
}

/** Amount in units of 10⁻¹⁰, for exact sums; null when it is not an amount. */
export function toUnits(text: string, mark: string | null): bigint | null {
  const plain = plainAmount(text)
  if (plain === null) return null
  const point = plain.indexOf('.')
  const units =
    point === -1
      ? BigInt(plain) * 10n ** BigInt(SCALE_DIGITS)
      : BigInt(plain.slice(0, point) + plain.slice(point + 1).padEnd(SCALE_DIGITS, '0'))
  return isDebit(mark) ? -units : units
}

/** Exact sum: a double as long as that is exact, then a bigint. */
export class ExactSum {
  #near = 0
  #far = 0n

  add(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#far += value
      return
    }
    const sum = this.#near + value
    if (Number.isSafeInteger(sum)) this.#near = sum
    else {
      this.#far += BigInt(this.#near)
      this.#near = value
    }
  }

  get total(): bigint {
    return this.#far + BigInt(this.#near)
  }
}

/**
 * Exact sum of amounts, in the units of `toUnits`. Nearly all amounts have two decimals and few digits: those are
 * summed as hundredths.
 */
export class AmountSum {
  readonly #hundredths = new ExactSum()
  #units = 0n

  /** False when the text is not an amount. */
  add(text: string, mark: string | null): boolean {
    const hundredths = toHundredths(text)
    if (hundredths !== null) {
      this.#hundredths.add(isDebit(mark) ? -hundredths : hundredths)
      return true
    }
    const units = toUnits(text, mark)
    if (units !== null) this.#units += units
    return units !== null
  }

  get units(): bigint {
    return this.#hundredths.total * UNITS_OF_HUNDREDTH + this.#units
  }
}

/** `1234`, `1234,5`, `1234.56`; null for any other form. */
function toHundredths(text: string): number | null {
  const { length } = text
  if (length === 0 || length > HUNDREDTHS_LENGTH) return null
  let value = 0
  let decimals = -1
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) {
      value = value * 10 + code - ZERO
      if (decimals >= 0) decimals += 1
    } else if ((code === COMMA || code === POINT) && decimals < 0 && at > 0) decimals = 0
    else return null
  }
  if (decimals > 2) return null
  return decimals === 2 ? value : decimals === 1 ? value * 10 : value * 100
}

/** Units as people write them: `-27.5`, in French `-27,5`. */
export function unitsText(units: bigint): LocalizedText {
  const text = fromMinorUnits(units.toString(), SCALE_DIGITS)
  return { en: text, 'fr-CA': text.replace('.', ',') }
}
