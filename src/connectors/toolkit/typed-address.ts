import type { LocalizedText } from '../../model/values/text.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import { type FormField, InputRefused } from '../contract/authorization.ts'
import { type HttpResponse, SourceError } from '../contract/contract.ts'
import { PlainHttpRefused } from './http/kit.ts'

const HTTPS_ONLY: LocalizedText = {
  en: 'The address has to begin with https://, so that nobody on the way can read your password.',
  'fr-CA': 'L’adresse doit commencer par https:// pour que personne ne puisse lire votre mot de passe en chemin.',
}

const UNREACHABLE: LocalizedText = {
  en: 'No server answered at this address. Check it, and that the server can be reached from the Internet.',
  'fr-CA': 'Aucun serveur n’a répondu à cette adresse. Vérifiez-la, ainsi que l’accès au serveur depuis Internet.',
}

/** Form field `address`: where the server of the owner's own installation is. */
export function addressField(label: LocalizedText, hint: LocalizedText): FormField {
  return { name: 'address', type: 'url', label, hint, required: true, autocomplete: 'url' }
}

/**
 * Parses a server address as typed or copied by an owner: without the trailing page and slash. Null for an invalid
 * address, and for one with a user or a password.
 */
function readAddress(typed: string, page = /^$/): string | null {
  const text = typed.trim()
  // `https:/host` is not a host named https.
  const url = parseWebAddress(/^https?:[/\\]/i.test(text) ? text : `https://${text}`)
  if (url === null || url.username !== '' || url.password !== '') return null
  return `${url.origin}${url.pathname.replace(page, '')}`.replace(/\/+$/, '')
}

/** The same for a form field: throws `InputRefused` with an example for an invalid address. */
export function requireAddress(
  typed: string,
  example: LocalizedText,
  { page, field = 'address' }: { page?: RegExp; field?: string } = {},
): string {
  const address = readAddress(typed, page)
  if (address !== null) return address
  const refusal = {
    en: `This is not an address that we can use. Example: ${example.en}`,
    'fr-CA': `Cette adresse ne peut pas être utilisée. Exemple : ${example['fr-CA']}`,
  }
  throw new InputRefused(refusal, field)
}

/** Refusal of an address where software other than the source answers. */
export function otherSoftware(name: string): LocalizedText {
  return {
    en: `There is a server at this address, but it is not ${name}.`,
    'fr-CA': `Un serveur répond à cette adresse, mais ce n’est pas ${name}.`,
  }
}

/** While the owner types the address, an unreachable server, or one without https, is reported as a fault of the address. */
export async function requestTypedAddress<T>(request: Promise<T>, refusal = UNREACHABLE): Promise<T> {
  try {
    return await request
  } catch (error) {
    if (error instanceof PlainHttpRefused) throw new InputRefused(HTTPS_ONLY, 'address')
    if (error instanceof SourceError && error.kind === 'unavailable') throw new InputRefused(refusal, 'address')
    throw error
  }
}

/** The same for a response: a server that has failed counts as unreachable. */
export async function reachTypedAddress(request: Promise<HttpResponse>, refusal = UNREACHABLE): Promise<HttpResponse> {
  const response = await requestTypedAddress(request, refusal)
  if (response.status >= 500) throw new InputRefused(refusal, 'address')
  return response
}
