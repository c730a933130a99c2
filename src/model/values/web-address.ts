/** `//` and a host behind http or https, as RFC 3986 has it; no spaces, control characters or backslashes. */
const SHAPE = /^https?:\/\/[^/?#\\][^\\]*$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: addresses with them mean another than they show.
const HIDDEN = /[\u0000-\u0020\u007f]/

/**
 * Reads an http or https address as people write it. Null for what `URL` alone would put right: `https:host`, `https:/host`, `https:///host`,
 * backslashes, spaces. Source: https://url.spec.whatwg.org/#scheme-state
 */
export function parseWebAddress(text: string): URL | null {
  return SHAPE.test(text) && !HIDDEN.test(text) ? URL.parse(text) : null
}
