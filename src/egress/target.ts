import { isIP } from 'node:net'
import { isAllowedAddress, type Reach } from './address.ts'
import { EgressError } from './egress-error.ts'

export interface TargetRules {
  reach: Reach
  /** Ports that a public target may name; private ones may name any. */
  ports: readonly number[]
}

/** Names that only a local network answers. Source: https://www.iana.org/assignments/special-use-domain-names */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa|onion)$/

/**
 * Reads an address by the WHATWG rules (which turn every spelling of an IP address into the plain one) and refuses what no lookup is
 * needed to refuse. The answer has no fragment.
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

/** The name or the bare IP address: no brackets, no dot at the end. */
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
