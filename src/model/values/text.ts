/** The languages of owner-facing texts. */
export type Locale = 'en' | 'fr-CA'

/** One text in both languages; leaving one out does not compile. */
export type LocalizedText = Record<Locale, string>

/** Keeps the last four letters or digits of an account number, shown as `••••1234`; an absent number is the empty text. */
export function maskAccountNumber(number: string | null | undefined): string {
  const kept = (number ?? '').replace(/[^0-9A-Za-z]/g, '')
  return kept === '' ? '' : `••••${kept.slice(-Math.min(4, Math.max(1, kept.length - 1)))}`
}
