/** Words and letters that a search for companies takes. */
const [MOST_WORDS, MOST_LETTERS] = [10, 150]

/** `Search` for companies; empty without words. */
export function companySearch(words: string): string {
  return words.trim().split(/\s+/).slice(0, MOST_WORDS).join(' ').slice(0, MOST_LETTERS)
}

/** Value quoted and escaped for `FilterQuery`, cut to its first letters. */
export function quoteValue(text: string, mostLetters = 200): string {
  return `"${text.slice(0, mostLetters).replace(/["\\]/g, '\\$&')}"`
}

/** Conjunction of clauses; those without a value are left out. */
export function allOf(clauses: Record<string, string | null | undefined>): string {
  return Object.entries(clauses)
    .filter(([, value]) => value)
    .map(([clause, value]) => `${clause}${value}`)
    .join('&&')
}
