/** Symbols that mean one currency only. `$`, `¥` and `kr` do not. */
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

/** The ISO 4217 code that a commodity of a journal stands for; empty where it is no currency or could be several. Small letters are goods. */
export function isoCurrency(commodity: string): string {
  const code = symbols.get(commodity) ?? commodity
  return codes.has(code) ? code : ''
}
