/**
 * Sources that are named with words and not with a brand: the name in the API, and the names that people read. Owners
 * read theirs in both languages, developers the API's in English.
 */
const NAMES: Readonly<Record<string, { en: string; 'fr-CA': string }>> = {
  'Bank files': { en: 'Bank statements', 'fr-CA': 'Relevés bancaires' },
}

/** Name of a service or source, in the language of the person who reads it; brands and names of banks stay. */
export function localizeSourceName(name: string, locale: 'en' | 'fr-CA'): string {
  return Object.hasOwn(NAMES, name) ? (NAMES[name]?.[locale] ?? name) : name
}

/** Names in the API of the sources whose name in a language fits. */
export function findSourceNames(locale: 'en' | 'fr-CA', isFitting: (name: string) => boolean): string[] {
  return Object.entries(NAMES).flatMap(([name, names]) => (isFitting(names[locale]) ? [name] : []))
}
