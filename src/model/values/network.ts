import ipaddr from 'ipaddr.js'

/**
 * Network of one household or attacker: an IPv4 address, or the /64 of an IPv6 address. A port after it, as some
 * proxies forward it, is ignored.
 */
export function toNetwork(address: string): string {
  const bare = withoutPort(address)
  if (!ipaddr.isValid(bare)) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  // The library leaves out the zone (`%eth0`).
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`)}/64`
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/**
 * Matcher for addresses in any of the ranges, each an address or in CIDR notation; an IPv4-mapped IPv6 address counts
 * as IPv4.
 */
export function rangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map((range) => toSubnet(range))
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const one = ipaddr.process(address)
    return parsed.some(([network, bits]) => network.kind() === one.kind() && one.match(network, bits))
  }
}

function toSubnet(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range)
  const address = ipaddr.process(range)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Strips the port of `192.0.2.1:5678` and `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address
}
