/** Locales of owner-facing texts. */
export type Locale = 'en' | 'fr-CA'

/** Text in both languages; omitting one does not compile. */
export type LocalizedText = Record<Locale, string>

/** Masks an account number as `••••1234`, its last four letters or digits; absent: empty text. */
export function maskAccountNumber(number: string | null | undefined): string {
  const kept = (number ?? '').replace(/[^0-9A-Za-z]/g, '')
  return kept === '' ? '' : `••••${kept.slice(-Math.min(4, Math.max(1, kept.length - 1)))}`
}

const FILLERS: ReadonlySet<string> = new Set(['of', 'the', 'and', 'de', 'du', 'des', 'la', 'le', 'les', 'et', 'd', 'l'])

/** Words of a text for comparison: lower case, without accents, punctuation and, unless nothing else remains, fillers. */
export function toPlainWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae').normalize('NFD').replace(/\p{M}/gu, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const telling = words.filter((word) => !FILLERS.has(word))
  return telling.length > 0 ? telling : words
}
