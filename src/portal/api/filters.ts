/** A `FilterQuery` for companies whose name, city or industry holds the words; empty for none. */
export function searchFilter(words: string): string {
  if (words === '') return ''
  const quoted = quoteValue(words)
  return ['name', 'city', 'industry'].map((property) => `${property}~${quoted}`).join('||')
}

/** A value as `FilterQuery` reads it, whatever is in it. */
export function quoteValue(text: string): string {
  return `"${text.slice(0, 200).replace(/["\\]/g, '\\$&')}"`
}

/** Clauses that all must hold; those without a value are left out. */
export function allOf(clauses: Record<string, string | null | undefined>): string {
  return Object.entries(clauses)
    .filter(([, value]) => value)
    .map(([clause, value]) => `${clause}${value}`)
    .join('&&')
}
