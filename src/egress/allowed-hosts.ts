import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Destination of outgoing connections: a host name (`api.example.com`), the names below one (`*.example.com`), an
 * address, or a range of addresses (`192.0.2.0/24`).
 */
export type AllowedHost = string

interface AllowedHosts {
  names: ReadonlySet<string>
  /** Each begins with a dot. */
  endings: readonly string[]
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]
}

let allowed: AllowedHosts | null = null
let mustEncrypt = false

/**
 * Limits all outgoing connections of this process to these destinations; null: every destination that the guard allows.
 * NOTE for the process, not for a client, because a limit that each caller has to pass on is lost by the first one that
 * forgets it. Called once, before anything connects.
 */
export function allowOnly(hosts: readonly AllowedHost[] | null): void {
  allowed = hosts && {
    // Also addresses and ranges, which no name of a host is equal to.
    names: new Set(hosts.map((host) => host.toLowerCase())),
    endings: hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1).toLowerCase()),
    ranges: hosts.flatMap((host) => toRange(host) ?? []),
  }
}

/** Requires that all outgoing connections of this process are encrypted, private addresses included. Called like `allowOnly`. */
export function requireEncryption(isRequired: boolean): void {
  mustEncrypt = isRequired
}

/** Whether plain HTTP, or a database without encryption, may be spoken with anybody. */
export function isPlainAllowed(): boolean {
  return !mustEncrypt
}

/** Whether a host may be connected to, with all the addresses to which it resolves. A name may be allowed by its addresses. */
export function isAllowedHost(host: string, addresses: readonly string[]): boolean {
  if (allowed === null) return true
  const { names, endings, ranges } = allowed
  const name = host.toLowerCase()
  if (isIP(host) === 0 && (names.has(name) || endings.some((ending) => name.endsWith(ending)))) return true
  return addresses.length > 0 && addresses.every((address) => isInRange(address, ranges))
}

/**
 * Whether a host may be registered: it is allowed, or its name may yet be by the addresses to which it resolves at a
 * connection, which is when the guard decides.
 */
export function canBeAllowed(host: string): boolean {
  if (!allowed) return true
  const isAddress = isIP(host) !== 0
  return isAllowedHost(host, isAddress ? [host] : []) || (!isAddress && allowed.ranges.length > 0)
}

function isInRange(address: string, ranges: AllowedHosts['ranges']): boolean {
  const parsed = ipaddr.process(address)
  return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
}

/** An address is the range of itself alone; null for a name. */
function toRange(host: string): [[ipaddr.IPv4 | ipaddr.IPv6, number]] | null {
  if (host.includes('/')) return [ipaddr.parseCIDR(host)]
  if (isIP(host) === 0) return null
  const address = ipaddr.process(host)
  return [[address, address.kind() === 'ipv4' ? 32 : 128]]
}
