const HIDDEN = '[secret]'
const UNSCRUBBED = String.raw`(?!\[secret\])`

/** Names, or suffixes of names, whose value is a secret: `refresh_token`, `newPassword`, `X-Api-Key` … */
const NAME = '(?:password|passwd|passphrase|secret|token|api[_-]?key|authorization|cookie|assertion|verifier|credentials)'
/** Maximum length of a quoted value examined; a longer one is not a single secret. */
const REACH = 8_192

/** Patterns that are secrets by their shape. */
const SHAPES = [
  /\bwhsec_[\w+/=-]+/g,
  /\b(?:sk|rk|pk|ch)_(?:live|test)_\w+/g,
  /\b(?:access|public|link|processor|item|assets)-(?:sandbox|development|production)-[\w-]{6,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs,
]

/** Each pattern: text before the secret, kept; the secret; then, if it has one, its end delimiter. */
const NAMED_SECRETS: RegExp[] = [
  // JWT at any position. NOTE matched from the beginning of its word, otherwise each `eyJ` of one long word would be
  // followed to the end of that word.
  /(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]+(?:\.[\w-]*){2,4}/g,
  /\b((?:Bearer|Basic|DPoP)(?:\s+|%20|\+))(?!\[secret\])[\w.~+/=-]{6,}/gi,
  /(:\/\/[^\s/:@"'\\]*:)(?!\[secret\])[^\s/@"'\\]+(?=@)/g,
  /((?:^|[^\w-])(?:set-)?cookie:\s*)(?!\[secret\])[^"'\\\r\n]+/gim,
  // "name": "value" at any depth of escaping, including the first of a list. A quote after 2(k+1) backslashes is inside
  // the value, where k precede the opening quote; a truncated text ends it too.
  new RegExp(
    String.raw`(${NAME}(?:\\*["'])?\s*[:=]\s*(?:\[\s*)?(?=((\\*)(["']))))\2${UNSCRUBBED}.{0,${REACH}}?(?:(?<!\\)(?:\3\\\3\\)*\3\4|$)`,
    'gis',
  ),
  // name=value in forms and query strings, also percent-encoded, and name: value in headers and sentences.
  new RegExp(String.raw`(${NAME}(?:\s*=\s*|%3D|\s*:\s+))${UNSCRUBBED}[^\s&"'\\,;<>{}[\])]+`, 'gi'),
  /((?:^|[\s?&"'(]|%3F|%26)(?:code|state|device_code|user_code)(?:=|%3D))(?!\[secret\])[^\s&"'\\,;<>{}[\])]+/gim,
  // In JSON `code` is mostly an error code, so only long text with lower-case letters counts.
  /("(?:code|state)\\*"\s*:\s*\\*")(?=[^"\\]*[a-z])[^"\\\s]{16,}/g,
]

/**
 * Values that may contain nine consecutive digits without being account numbers: ids, timestamps, digests, decimals,
 * counts and times by their names.
 */
const HARMLESS = [
  String.raw`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`,
  String.raw`\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?`,
  String.raw`\b(?=\d*[a-f])[0-9a-f]{16,}\b`,
  String.raw`\d+\.\d+`,
  String.raw`(?:[tT]ime|[dD]ate|_at|At|_ms|Ms|[nN]s|[bB]ytes|[sS]ize|[lL]ength|[cC]ount|\bexp|\biat|\bnbf|[gG]eneration)\\*"\s*:\s*\d[\d.]*`,
]
const NUMBERS = new RegExp(
  [
    `(?<harmless>${HARMLESS.join('|')})`,
    String.raw`(?<!\\)(?<quote>\\*")(?<colon>\s*:\s*)(?<field>-?\d{9,})(?=\s*[,}\]])`,
    String.raw`(?<=[[,]\s{0,8})(?<element>-?\d{9,})(?=\s*[,\]])`,
    String.raw`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b`,
    String.raw`(?<!\d)\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}(?!\d)`,
    String.raw`(?<!\d)\d{9,}`,
  ].join('|'),
  'g',
)

/**
 * Secret scrubber: removes secrets from any text by their shape and by the name before them, and masks account numbers
 * as `••••` and the last four digits. A JSON document stays valid. It prefers to remove too much. Idempotent.
 */
export function scrub(text: string): string {
  let clean = text
  for (const shape of SHAPES) clean = clean.replace(shape, HIDDEN)
  for (const pattern of NAMED_SECRETS) clean = clean.replace(pattern, (_match, before: string, quote: unknown) => before + inQuotes(quote))
  return clean.replace(NUMBERS, maskNumber)
}

function inQuotes(quote: unknown): string {
  return typeof quote === 'string' ? `${quote}${HIDDEN}${quote}` : HIDDEN
}

/**
 * A bare number in a document becomes text, quoted at the depth of its name, so that the document stays valid. In a
 * list the depth is unknown: there it stays a number, of its last four digits.
 */
function maskNumber(match: string, ...rest: unknown[]): string {
  const groups = rest.at(-1) as Record<'harmless' | 'quote' | 'colon' | 'element', string | undefined>
  if (groups.harmless !== undefined) return match
  if (groups.element !== undefined) return String(Number(match.slice(-4)))
  const masked = `••••${match.replace(/[ -]/g, '').slice(-4)}`
  if (groups.quote === undefined) return masked
  const quote = quoteOfDepth(groups.quote.length - 1)
  return `${groups.quote}${groups.colon}${quote}${masked}${quote}`
}

/**
 * At depth n each quote has 2^n - 1 backslashes before it. A name that itself ends in backslashes adds multiples of
 * 2^(n+1), so the ones at the end of the binary number determine the depth.
 */
function quoteOfDepth(backslashes: number): string {
  return `${'\\'.repeat((backslashes ^ (backslashes + 1)) >> 1)}"`
}
