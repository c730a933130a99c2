import { isIP } from 'node:net'
import { isAllowedAddress, type Reach } from './address.ts'
import { EgressError } from './egress-error.ts'

export interface TargetRules {
  reach: Reach
  /** Allowed ports of public targets; private ones may use any. */
  ports: readonly number[]
}

/** Names that resolve only in a local network. Source: https://www.iana.org/assignments/special-use-domain-names */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa|onion)$/

/**
 * Parses a URL by the WHATWG rules (which normalize every notation of an IP address) and rejects what needs no lookup
 * to be rejected. The result has no fragment.
 */
export function toTarget(text: string, rules: TargetRules): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new EgressError('unreachable')
  if (url.username !== '' || url.password !== '') throw new EgressError('unreachable')
  if (rules.reach === 'public' && !rules.ports.includes(portOf(url))) throw new EgressError('unreachable')
  const host = hostOf(url)
  const isAllowed = isIP(host) === 0 ? isAllowedName(host, rules.reach) : isAllowedAddress(host, rules.reach)
  if (!isAllowed) throw new EgressError('unreachable')
  url.hash = ''
  return url
}

/** Host name or bare IP address: no brackets, no trailing dot. */
export function hostOf(url: { hostname: string }): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function isAllowedName(name: string, reach: Reach): boolean {
  if (name === '') return false
  return reach === 'private' || (name.includes('.') && !LOCAL_NAME.test(name))
}
