/** Plural rules of one language: French treats zero and one alike. */
export interface Plural {
  /** Number with its noun, e.g. "1,204 pages", with a non-breaking space. */
  count(n: number, one: string, other: string): string
  /** Plural form for the number. */
  form(n: number, one: string, other: string): string
}

/** Source: https://cldr.unicode.org/index/cldr-spec/plural-rules */
function pluralOf(locale: string): Plural {
  const rules = new Intl.PluralRules(locale)
  const form: Plural['form'] = (n, one, other) => (rules.select(n) === 'one' ? one : other)
  return { form, count: (n, one, other) => `${n.toLocaleString(locale)}\u00a0${form(n, one, other)}` }
}

export const english = pluralOf('en-CA')
export const french = pluralOf('fr-CA')
