/**
 * Base currency of a company file by country; MYOB is sold in two. Empty for any other country: never invented.
 * Source: https://docs.codat.io/integrations/accounting/myob/myob-integration-reference
 */
export function toBaseCurrency(country: string): string {
  return { AU: 'AUD', NZ: 'NZD' }[country.toUpperCase()] ?? ''
}
