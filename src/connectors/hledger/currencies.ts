/** Symbols of exactly one currency. `¥` and `kr` are ambiguous, and the owner decides the meaning of `$`. */
const symbols = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₹', 'INR'],
  ['CA$', 'CAD'],
  ['C$', 'CAD'],
  ['US$', 'USD'],
  ['A$', 'AUD'],
  ['NZ$', 'NZD'],
  ['HK$', 'HKD'],
])

const codes = new Set(Intl.supportedValuesOf('currency'))

/**
 * ISO 4217 code of a commodity in a journal; empty when it is no currency or ambiguous. Lower-case letters are goods.
 * `dollar` is the currency of `$`, empty when the owner named none.
 */
export function isoCurrency(commodity: string, dollar: string): string {
  const code = commodity === '$' ? dollar : (symbols.get(commodity) ?? commodity)
  return codes.has(code) ? code : ''
}

/** Currency code as typed by a person, in lower case too; null for an invalid one. */
export function readCurrencyCode(typed: string): string | null {
  const code = typed.trim().toUpperCase()
  return codes.has(code) ? code : null
}
