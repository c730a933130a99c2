import { parseWebAddress } from '../../model/values/web-address.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Fault of an origin that may embed the pages of a link, as text for a person; null if valid. The origin must be
 * written exactly as browsers do (`location.origin`: lower case, no default port, no path, ASCII form of international
 * names), because the same text is compared and put into the policy.
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
