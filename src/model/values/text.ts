/** Locales of owner-facing texts. */
export type Locale = 'en' | 'fr-CA'

/** Text in both languages; omitting one does not compile. */
export type LocalizedText = Record<Locale, string>

/** Masks an account number as `••••1234`, its last four letters or digits; absent: empty text. */
export function maskAccountNumber(number: string | null | undefined): string {
  const kept = (number ?? '').replace(/[^0-9A-Za-z]/g, '')
  return kept === '' ? '' : `••••${kept.slice(-Math.min(4, Math.max(1, kept.length - 1)))}`
}
