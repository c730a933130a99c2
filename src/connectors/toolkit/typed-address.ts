import type { LocalizedText } from '../../model/values/text.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import { type FormField, InputRefused } from '../contract/authorization.ts'
import { SourceError } from '../contract/contract.ts'
import { PlainHttpRefused } from './http/kit.ts'

const HTTPS_ONLY: LocalizedText = {
  en: 'The address has to begin with https://, so that nobody on the way can read your password.',
  'fr-CA': 'L’adresse doit commencer par https:// pour que personne ne puisse lire votre mot de passe en chemin.',
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

/** The same for a form field: throws `InputRefused` with the text for an invalid address. */
export function requireAddress(
  typed: string,
  refusal: LocalizedText,
  { page, field = 'address' }: { page?: RegExp; field?: string } = {},
): string {
  const address = readAddress(typed, page)
  if (address === null) throw new InputRefused(refusal, field)
  return address
}

/** While the owner types the address, an unreachable server, or one without https, is reported as a fault of the address. */
export async function requestTypedAddress<T>(request: Promise<T>, refusal: LocalizedText): Promise<T> {
  try {
    return await request
  } catch (error) {
    if (error instanceof PlainHttpRefused) throw new InputRefused(HTTPS_ONLY, 'address')
    if (error instanceof SourceError && error.kind === 'unavailable') throw new InputRefused(refusal, 'address')
    throw error
  }
}
