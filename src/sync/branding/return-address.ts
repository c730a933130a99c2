import { parseWebAddress } from '../../model/values/web-address.ts'

const LONGEST = 2_000
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:[^\s]/i
/** Servers decode these after our comparison of the path. */
const HIDDEN_STEPS = /%2f|%5c|%2e|\\/i

/** Fault of a return address as text for a person; null: none. */
export function findReturnFault(address: string, options: { allowsLoopback: boolean }): string | null {
  if (address.length > LONGEST) return `is longer than ${LONGEST} characters`
  if (OTHER_SCHEME.test(address)) return schemesOf(options)
  const url = parseWebAddress(address)
  if (url === null) return 'is not an address'
  const fault = findOriginFault(url, options)
  if (fault !== null) return fault
  if (HIDDEN_STEPS.test(url.pathname)) return 'must not hold encoded slashes or dots in its path'
  return null
}

/** Fault of an address that owners or their browsers are sent to: its scheme, or a user in it; null: none. */
export function findOriginFault(url: URL, options: { allowsLoopback: boolean }): string | null {
  const isLoopback = options.allowsLoopback && url.protocol === 'http:' && LOOPBACK.includes(url.hostname)
  if (url.protocol !== 'https:' && !isLoopback) return schemesOf(options)
  return url.username === '' && url.password === '' ? null : 'must not hold a user or a password'
}

function schemesOf({ allowsLoopback }: { allowsLoopback: boolean }): string {
  return allowsLoopback ? 'has to begin with https:// (or http:// on this machine)' : 'has to begin with https://'
}

/** Allowlist check: same origin as an allowed address, and a path below its path, segment by segment. */
export function isAllowedReturn(address: string, allowed: readonly string[]): boolean {
  const url = new URL(address)
  return allowed.some((each) => {
    const base = new URL(each)
    const path = base.pathname.replace(/\/$/, '')
    return url.origin === base.origin && (url.pathname === path || url.pathname.startsWith(`${path}/`))
  })
}

/**
 * Whether an address starts a sign-in at the deployment with this origin. Such a sign-in skips the confirmation for
 * visitors from our own pages, so that an administrator could sign owners in to the administrator's instance (login
 * CSRF).
 */
export function leadsToSignIn(address: string, origin: string): boolean {
  const url = new URL(address)
  // Decoded, as the router does.
  const path = url.pathname.replace(/%([0-7][0-9a-f])/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return url.origin === origin && path.startsWith('/sign-in/')
}

/** Return address with the result of the link; contains no secret. */
export function toReturnAddress(
  address: string,
  outcome: { status: 'connected' | 'declined'; companyId: string; serviceId: string },
): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value)
  return url.href
}
