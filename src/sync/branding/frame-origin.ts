import { parseWebAddress } from '../../model/values/web-address.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Fault of an origin that may hold a link's pages in a frame, as text for a person; null: none. The origin has to be
 * written exactly as browsers do (`location.origin`), so that what is compared and what stands in the policy is the
 * same text: small letters, no default port, no path, international names in their ASCII form.
 */
export function findFrameOriginFault(origin: string, options: { allowsLoopback: boolean }): string | null {
  const url = parseWebAddress(origin)
  if (url === null) return 'is not an origin'
  const isLoopback = options.allowsLoopback && url.protocol === 'http:' && LOOPBACK.includes(url.hostname)
  if (url.protocol !== 'https:' && !isLoopback)
    return options.allowsLoopback ? 'has to begin with https:// (or http:// on this machine)' : 'has to begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
  if (!/^[a-z0-9.:[\]-]+$/.test(url.host) || url.hostname.endsWith('.')) return 'has no single host'
  return url.origin === origin ? null : `has to be written as ${url.origin}`
}
