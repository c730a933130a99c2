import { domainToASCII } from 'node:url'
import { isUuid } from '../../../model/values/uuid.ts'
import { listSignInOptions, type SignInOption } from '../../../store/access/identity-providers.ts'
import { normalizeEmail } from '../../../store/access/users.ts'
import type { Access } from '../access.ts'

/**
 * Instance whose provider a person signs in with, found by an e-mail address, or by the instance's id or exact name. An
 * address leads to the instance of its member, else to the only instance that accepts its domain and in which an
 * administrator has signed in this way. Null if no instance, or more than one, matches.
 */
export async function findSignInOption({ database }: Pick<Access, 'database'>, account: string): Promise<SignInOption | null> {
  const text = account.trim()
  if (isUuid(text)) return only(await listSignInOptions(database, { instanceId: text }))
  if (!text.includes('@')) return only(await listSignInOptions(database, { name: text }))
  const [ofMember] = await listSignInOptions(database, { email: normalizeEmail(text) })
  return ofMember ?? only(await listSignInOptions(database, { domain: domainOf(text) }))
}

/** Domain of an address, lower case; letters beyond ASCII in punycode. */
function domainOf(address: string): string {
  return toDomain(address.slice(address.lastIndexOf('@') + 1))
}

/** A domain in the form in which domains are compared. */
export function toDomain(text: string): string {
  return domainToASCII(text.trim().toLowerCase()) || text.trim().toLowerCase()
}

function only(places: SignInOption[]): SignInOption | null {
  return places.length === 1 ? (places[0] ?? null) : null
}
