/** http or https with `//` and a host, as in RFC 3986; no spaces, control characters or backslashes. */
const SHAPE = /^https?:\/\/[^/?#\\][^\\]*$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: addresses with them mean another than they show.
const HIDDEN = /[\u0000-\u0020\u007f]/

/**
 * Parses an http or https URL as typed. Null for what `URL` alone would repair: `https:host`, `https:/host`,
 * `https:///host`, backslashes, spaces. Source: https://url.spec.whatwg.org/#scheme-state
 */
export function parseWebAddress(text: string): URL | null {
  return SHAPE.test(text) && !HIDDEN.test(text) ? URL.parse(text) : null
}
