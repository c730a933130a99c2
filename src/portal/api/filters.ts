/** `FilterQuery` for companies whose name, city, industry or external id contains the words; empty without words. */
export function searchFilter(words: string): string {
  if (words === '') return ''
  const quoted = quoteValue(words)
  return ['name', 'city', 'industry', 'externalId'].map((property) => `${property}~${quoted}`).join('||')
}

/** Value quoted and escaped for `FilterQuery`. */
export function quoteValue(text: string): string {
  return `"${text.slice(0, 200).replace(/["\\]/g, '\\$&')}"`
}

/** Conjunction of clauses; those without a value are left out. */
export function allOf(clauses: Record<string, string | null | undefined>): string {
  return Object.entries(clauses)
    .filter(([, value]) => value)
    .map(([clause, value]) => `${clause}${value}`)
    .join('&&')
}
