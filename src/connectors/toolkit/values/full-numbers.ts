const MIN_DIGITS = 6
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/

/** Full account numbers among texts of a source, which are as often masked, shortened or absent. */
export function fullNumbers(...texts: readonly unknown[]): string[] {
  return texts.flatMap((text) => {
    const plain = typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[\s-]/g, '').toUpperCase() : ''
    return (/^\d+$/.test(plain) && plain.length >= MIN_DIGITS) || IBAN.test(plain) ? [plain] : []
  })
}
