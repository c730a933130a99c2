import ipaddr from 'ipaddr.js'

/**
 * Reach of a request: public addresses only, or also loopback and private networks (the sandbox, an operator's own
 * source).
 */
export type Reach = 'public' | 'private'

const PRIVATE_RANGES = new Set(['loopback', 'private', 'uniqueLocal'])

/**
 * Cloud metadata addresses outside the link-local ranges, which serve credentials without authentication; never
 * reachable, not even in the sandbox.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * Source: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const METADATA_ADDRESSES = new Set(['fd00:ec2::254', 'fd00:ec2::253', 'fd00:ec2::123', '168.63.129.16'])

/**
 * The only IPv6 range with public addresses. Source: https://www.iana.org/assignments/ipv6-unicast-address-assignments
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** IPv6 address that ends in dotted decimals without being an IPv4-mapped one: `ipaddr.js` would read it as one. */
const UNCLEAR = /^(?!::ffff:[\d.]+$).*:.*\./i

/** Whether a request of this reach may connect to an address; false for text that is not an IP address. */
export function isAllowedAddress(address: string, reach: Reach): boolean {
  if (!ipaddr.isValid(address) || UNCLEAR.test(address)) return false
  const parsed = ipaddr.process(address)
  if (METADATA_ADDRESSES.has(parsed.toString())) return false
  const range = parsed.range()
  if (reach === 'private' && PRIVATE_RANGES.has(range)) return true
  if (range !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6)
}
