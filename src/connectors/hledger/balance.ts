import { absolute, add, compareDecimals, type Decimal, fromMinorUnits, negate } from '../../model/values/decimal.ts'
import type { AmountWire, PlainAmount, Quantity } from './wire.ts'

export interface CommodityValue {
  commodity: string
  quantity: Decimal
}

/** Values of an entry's amounts with which it balances exactly in every commodity; or the reason why it does not. */
export function settle(amounts: readonly AmountWire[]): CommodityValue[] | { reason: string } {
  const precisions = readPrecisions(amounts)
  // NOTE: up to 1.25 a total cost has the sign of its amount, later it may not. Whichever reading balances is the right
  // one.
  for (const read of [toOwn, toCost, toUnsignedCost]) {
    const values = amounts.map(read)
    const residuals = sumByCommodity(values)
    const isBalanced = [...residuals].every(([commodity, sum]) => isNothing(sum, precisions.get(commodity) ?? 0))
    if (isBalanced) return spread(values, residuals, amounts)
  }
  return {
    reason: hasCost(amounts) ? 'its entry does not balance at cost' : 'its entry does not balance in each commodity, and no cost is given',
  }
}

/** Exact quantity: mantissa × 10^-places. */
function toQuantity({ decimalMantissa, decimalPlaces }: Quantity): Decimal {
  return fromMinorUnits(decimalMantissa, decimalPlaces)
}

function toOwn({ acommodity, aquantity }: PlainAmount): CommodityValue {
  return { commodity: acommodity, quantity: toQuantity(aquantity) }
}

function toCost(amount: AmountWire): CommodityValue {
  const cost = amount.acost ?? amount.aprice
  if (!cost) return toOwn(amount)
  const price = toOwn(cost.contents)
  return cost.tag.startsWith('Unit') ? { ...price, quantity: product(cost.contents.aquantity, amount.aquantity) } : price
}

function toUnsignedCost(amount: AmountWire): CommodityValue {
  const value = toCost(amount)
  const cost = amount.acost ?? amount.aprice
  if (!cost || cost.tag.startsWith('Unit')) return value
  return toQuantity(amount.aquantity).startsWith('-') ? { ...value, quantity: negate(absolute(value.quantity)) } : value
}

function sumByCommodity(values: readonly CommodityValue[]): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const { commodity, quantity } of values) {
    const sum = sums.get(commodity)
    sums.set(commodity, sum === undefined ? quantity : add(sum, quantity))
  }
  return sums
}

/**
 * Distributes the residue. hledger calls an entry balanced when its sum displays as zero at the precision of the
 * commodity. The residue is added to the last line that was converted (its cost is the rounded figure), else to the
 * last line.
 */
function spread(values: CommodityValue[], residuals: ReadonlyMap<string, Decimal>, amounts: readonly AmountWire[]): CommodityValue[] {
  const settled = [...values]
  for (const [commodity, residual] of residuals) {
    if (residual === '0') continue
    const isHere = (value: CommodityValue) => value.commodity === commodity
    const converted = settled.findLastIndex((value, index) => isHere(value) && amounts[index]?.acommodity !== commodity)
    const index = converted >= 0 ? converted : settled.findLastIndex(isHere)
    const value = settled[index]
    if (value) settled[index] = { commodity, quantity: add(value.quantity, negate(residual)) }
  }
  return settled
}

function isNothing(sum: Decimal, precision: number): boolean {
  return compareDecimals(absolute(sum), fromMinorUnits(5, precision + 1)) <= 0
}

/**
 * Display precision of each commodity in decimal places; unit costs have digits of their own and count only when there
 * are no others.
 */
function readPrecisions(amounts: readonly AmountWire[]): Map<string, number> {
  const costs = amounts.flatMap((amount) => (amount.acost ?? amount.aprice)?.contents ?? [])
  return new Map([...largestPrecisions(costs), ...largestPrecisions(amounts)])
}

function largestPrecisions(amounts: readonly PlainAmount[]): Map<string, number> {
  const precisions = new Map<string, number>()
  for (const { acommodity, aquantity, astyle } of amounts) {
    const shown = astyle?.asprecision
    const precision = typeof shown === 'number' ? shown : aquantity.decimalPlaces
    precisions.set(acommodity, Math.max(precision, precisions.get(acommodity) ?? 0))
  }
  return precisions
}

function product(a: Quantity, b: Quantity): Decimal {
  const mantissa = BigInt(a.decimalMantissa) * BigInt(b.decimalMantissa)
  return fromMinorUnits(mantissa.toString(), a.decimalPlaces + b.decimalPlaces)
}

function hasCost(amounts: readonly AmountWire[]): boolean {
  return amounts.some((amount) => amount.acost ?? amount.aprice)
}
