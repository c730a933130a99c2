import { absolute, type Decimal, fromMinorUnits, negate, toDecimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { type Day, dayToOffsetTimestamp, toOffsetTimestamp } from '../../model/values/timestamps.ts'
import type { MapContext } from '../contract/mapping.ts'
import { readDay, readInstant } from './dates.ts'
import { partsOf, valueAt } from './pointers.ts'
import type { AmountRule, DateRule, EnumRule, FlagRule, RateRule, TextRule } from './profile-rules.ts'

/**
 * Read function made of a profile's rule: reads a row of the bank, throws `RangeError` for a value that violates the
 * rule.
 */
export type Read<Value> = (row: Json, context: MapContext) => Value

type Scalar = string | number | boolean

/** Value at the first pointer that has one. */
function reader(from: string | readonly string[]): (row: Json) => Json {
  const places = [from].flat().map(partsOf)
  return (row) => {
    for (const parts of places) {
      const value = valueAt(row, parts)
      if (value !== undefined && value !== null && value !== '') return value
    }
    return null
  }
}

function scalar(value: Json): Scalar | null {
  if (typeof value === 'object' && value !== null) throw new RangeError('no single value')
  return value
}

function number(value: Json): string | number | null {
  const read = scalar(value)
  if (typeof read === 'boolean') throw new RangeError('no number')
  return read
}

export function readText(rule: TextRule | undefined): Read<string> {
  if (rule === undefined) return () => ''
  if ('value' in rule) return () => rule.value
  const read = reader(rule.from)
  return (row) => {
    const value = scalar(read(row))
    return value === null ? (rule.otherwise ?? '') : String(value).trim()
  }
}

export function readCurrency(rule: TextRule): Read<string> {
  const read = readText(rule)
  return (row) => read(row, NO_CONTEXT).toUpperCase()
}

const NO_CONTEXT: MapContext = { fetchedAt: new Date(0), unmapped: () => undefined }

export function readNumber(rule: { from: string | string[] } | undefined): Read<string> {
  if (rule === undefined) return () => ''
  const read = reader(rule.from)
  return (row) => {
    const text = String(number(read(row)) ?? '')
    // Text already masked may be shown whole, but at most four characters of it.
    const shown = text.replace(/^[\s*xX•.·#-]+/, '')
    return shown !== text && shown.length <= 4 && shown !== '' ? `••••${shown}` : maskAccountNumber(text)
  }
}

/** Amount; `currencyOf` decides the digits of minor units. */
export function readAmount(rule: AmountRule | undefined, currencyOf: Read<string>): Read<Decimal | null> {
  if (rule === undefined) return () => null
  const toAmount = (value: Json, row: Json): Decimal | null => {
    const raw = number(value)
    const plain = toDecimal(typeof raw === 'string' ? ungrouped(raw, rule.mark ?? '.') : raw)
    if (plain === null || rule.units !== 'minor') return plain
    if (plain.includes('.')) throw new RangeError('minor units with a fraction')
    return fromMinorUnits(plain, minorDigits(currencyOf(row, NO_CONTEXT)))
  }
  if ('in' in rule) {
    const income = reader(rule.in)
    const outgo = reader(rule.out)
    return (row) => {
      const came = toAmount(income(row), row)
      const went = toAmount(outgo(row), row)
      if (came !== null && came !== '0') return absolute(came)
      return went === null ? came : negate(absolute(went))
    }
  }
  const read = reader(rule.from)
  const isNegative = rule.negativeWhen && readFlag(rule.negativeWhen)
  return (row, context) => {
    const amount = toAmount(read(row), row)
    if (isNegative) return isNegative(row, context) ? negate(absolute(amount)) : absolute(amount)
    if (rule.sign === 'turned') return negate(amount)
    return rule.sign === 'absolute' ? absolute(amount) : amount
  }
}

/** Digits without grouping: blanks of any kind, apostrophes and the other separator only group digits. */
function ungrouped(text: string, mark: '.' | ','): string {
  const dense = text.replace(/(?<=\d)[\s\u00a0\u202f'’](?=\d)/g, '')
  return mark === ',' ? dense.replaceAll('.', '').replace(',', '.') : dense.replace(/(?<=\d),(?=\d{3}(\D|$))/g, '')
}

/** Decimal places by ISO 4217: two for most, none for JPY, three for KWD. */
function minorDigits(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError('minor units of no currency')
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}

/** Power of ten that converts a rate to percent. */
const RATE_POWERS: Readonly<Record<RateRule['scale'], number>> = { percent: 0, fraction: 2, basisPoints: -2 }

export function readRate(rule: RateRule | undefined): Read<Decimal | null> {
  if (rule === undefined) return () => null
  const read = reader(rule.from)
  return (row) => {
    const raw = number(read(row))
    if (typeof raw === 'string' && raw.trim().endsWith('%')) return toDecimal(raw.trim().slice(0, -1))
    const plain = toDecimal(raw)
    return plain === null ? null : toDecimal(`${plain}e${RATE_POWERS[rule.scale]}`)
  }
}

export function readDate(rule: DateRule | undefined): Read<Day | null> {
  if (rule === undefined) return () => null
  const read = reader(rule.from)
  return (row) => readDay(read(row), rule.form)
}

/** Timestamp; a mere day becomes midnight of that day, without a time zone conversion. */
export function readTimestamp(rule: DateRule | undefined): Read<string | null> {
  if (rule === undefined) return () => null
  const read = reader(rule.from)
  const isInstant = rule.form === 'instant' || rule.form.startsWith('epoch')
  return (row) => {
    if (!isInstant) return dayToOffsetTimestamp(readDay(read(row), rule.form))
    const instant = readInstant(read(row), rule.form)
    return instant === null ? null : toOffsetTimestamp(instant)
  }
}

/** Enum value; `fallback` when the rule has none and the value is not in the table. */
export function readEnum<W extends string>(rule: EnumRule | undefined, field: string, fallback: W): Read<W>
export function readEnum<W extends string>(rule: EnumRule | undefined, field: string, fallback: null): Read<W | null>
export function readEnum(rule: EnumRule | undefined, field: string, fallback: string | null): Read<string | null> {
  if (rule === undefined) return () => fallback
  if ('value' in rule) return () => rule.value
  const places = [rule.from].flat().map(partsOf)
  const table = new Map(Object.entries(rule.words))
  return (row, context) => {
    const words = places.map((parts) => String(scalar(valueAt(row, parts) ?? null) ?? ''))
    const word = words.join('/')
    const found = table.get(word) ?? table.get([...words.slice(0, -1), '*'].join('/'))
    if (found !== undefined) return found
    if (words.some((each) => each !== '')) context.unmapped(field, word)
    return rule.otherwise ?? fallback
  }
}

export function readFlag(rule: FlagRule | undefined): Read<boolean> {
  if (rule === undefined) return () => false
  if ('value' in rule) return () => rule.value
  const read = reader(rule.from)
  return (row) => {
    const value = scalar(read(row))
    return value !== null && rule.is.includes(String(value))
  }
}
