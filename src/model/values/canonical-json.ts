/**
 * JSON values allowed in webhooks: no fractions, so that number formatting cannot differ between two sides. Amounts are
 * text.
 */
export type CanonicalJson = string | number | boolean | null | readonly CanonicalJson[] | { readonly [key: string]: CanonicalJson }

/**
 * Canonical JSON: keys in order of their UTF-16 units, no white space, the escapes of `JSON.stringify`. Throws
 * `RangeError` on a number that is not a safe integer and on a lone surrogate.
 * Source: https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalJson(value: CanonicalJson): string {
  if (typeof value === 'string') return canonicalText(value)
  if (typeof value === 'number') return canonicalInteger(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${canonicalText(key)}:${canonicalJson(item)}`).join(',')}}`
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('text with half a surrogate pair has no canonical form')
  return JSON.stringify(text)
}

function canonicalInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError('only safe integers have a canonical form here')
  return String(value)
}

function isList(value: CanonicalJson): value is readonly CanonicalJson[] {
  return Array.isArray(value)
}
