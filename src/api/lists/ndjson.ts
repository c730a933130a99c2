export const NDJSON = 'application/x-ndjson'

/**
 * Whether a header `Accept` prefers NDJSON to JSON, the default.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function prefersNdjson(accept: string | undefined): boolean {
  if (accept === undefined || !mayAskForNdjson(accept)) return false
  const weights = new Map(accept.split(',').map(readRange))
  const wanted = weights.get(NDJSON) ?? 0
  const json = weights.get('application/json')
  if (json !== undefined) return wanted > json
  // A type that is named takes precedence over wildcards.
  return wanted > 0 && wanted >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}

/** Whether the header names NDJSON at all; nearly free for requests for JSON. */
export function mayAskForNdjson(accept: string | undefined): boolean {
  return accept !== undefined && /ndjson/i.test(accept)
}

/** Media type in lower case, and its weight: 1 by default, 0 if it is invalid. */
function readRange(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [type, weight === undefined ? 1 : /^(0(\.\d{1,3})?|1(\.0{1,3})?)$/.test(weight) ? Number(weight) : 0]
}

const LINE_END = '\n'.charCodeAt(0)

/** Documents, one per line, in memory of their own. */
export function toLines(documents: readonly Uint8Array[]): Buffer {
  const lines = Buffer.allocUnsafeSlow(documents.reduce((sum, document) => sum + document.length + 1, 0))
  let at = 0
  for (const document of documents) {
    lines.set(document, at)
    at += document.length
    lines[at++] = LINE_END
  }
  return lines
}
