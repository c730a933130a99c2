import { parseWebAddress } from '../../model/values/web-address.ts'
import { findOriginFault } from './return-address.ts'

/**
 * Fault of an origin that may embed the pages of a link, as text for a person; null if valid. The origin must be
 * written exactly as browsers do (`location.origin`: lower case, no default port, no path, ASCII form of international
 * names), because the same text is compared and put into the policy.
 */
export function findFrameOriginFault(origin: string, options: { allowsLoopback: boolean }): string | null {
  const url = parseWebAddress(origin)
  if (url === null) return 'is not an origin'
  const fault = findOriginFault(url, options)
  if (fault !== null) return fault
  if (!/^[a-z0-9.:[\]-]+$/.test(url.host) || url.hostname.endsWith('.')) return 'has no single host'
  return url.origin === origin ? null : `has to be written as ${url.origin}`
}
