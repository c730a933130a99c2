import type { LocalizedText } from '../../model/values/text.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import { InputRefused } from '../contract/authorization.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'

/**
 * The address of a server as an owner typed or copied it: without the page at its end, without a trailing slash. Null for what is no
 * address, and for one that carries a user or a password.
 */
function readAddress(typed: string, page = /^$/): string | null {
  const text = typed.trim()
  // `https:/host` is no host named https.
  const url = parseWebAddress(/^https?:[/\\]/i.test(text) ? text : `https://${text}`)
  if (url === null || url.username !== '' || url.password !== '') return null
  return `${url.origin}${url.pathname.replace(page, '')}`.replace(/\/+$/, '')
}

/** The same for a field of a form: throws `InputRefused` with the text for what is no address. */
export function requireAddress(
  typed: string,
  refusal: LocalizedText,
  { page, field = 'address' }: { page?: RegExp; field?: string } = {},
): string {
  const address = readAddress(typed, page)
  if (address === null) throw new InputRefused(refusal, field)
  return address
}

/** A server that cannot be reached is the address's fault while the owner is typing it. */
export async function requestTypedAddress(request: Promise<HttpResponse>, refusal: LocalizedText): Promise<HttpResponse> {
  try {
    return await request
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'unavailable') throw new InputRefused(refusal, 'address')
    throw error
  }
}
