/**
 * Every company file is kept in the currency of its country; MYOB sells it in two. Empty for another country: never invented.
 * Source: https://docs.codat.io/integrations/accounting/myob/myob-integration-reference
 */
export function toBaseCurrency(country: string): string {
  return { AU: 'AUD', NZ: 'NZD' }[country.toUpperCase()] ?? ''
}
