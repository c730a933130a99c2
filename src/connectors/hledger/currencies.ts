/** Symbols that mean one currency only. `¥` and `kr` do not, and `$` means what the owner says. */
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
 * The ISO 4217 code that a commodity of a journal stands for; empty where it is no currency or could be several. Small letters are goods.
 * `dollar` is what `$` stands for, empty where the owner did not say.
 */
export function isoCurrency(commodity: string, dollar: string): string {
  const code = commodity === '$' ? dollar : (symbols.get(commodity) ?? commodity)
  return codes.has(code) ? code : ''
}

/** The code of a currency as a person types it, in small letters too; null for what is none. */
export function readCurrencyCode(typed: string): string | null {
  const code = typed.trim().toUpperCase()
  return codes.has(code) ? code : null
}
