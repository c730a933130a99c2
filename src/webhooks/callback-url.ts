import { canBeAllowed, isPlainAllowed } from '../egress/allowed-hosts.ts'
import { EgressError } from '../egress/egress-error.ts'
import { hostOf, toTarget } from '../egress/target.ts'
import { AUDIT_EVENT, type SubscribableEvent } from '../model/events.ts'
import { parseWebAddress } from '../model/values/web-address.ts'
import { InvalidCallbackUrl } from './errors.ts'

export interface CallbackRules {
  /** Sandbox: also http, loopback, private networks, and any port. */
  allowPrivate: boolean
  /** Whether public receivers may use plain http; default no. */
  allowHttp?: boolean
  /** Default 80 and 443. */
  allowedPorts?: readonly number[]
  /** Host of this deployment, with its port. */
  ownHost?: string
}

const MAX_LENGTH = 2048
const DEFAULT_PORTS = [80, 443]

/** Static check of a callback URL; the egress guard checks the rest at every attempt. Throws `InvalidCallbackUrl`. */
export function checkCallbackUrl(text: string, rules: CallbackRules): void {
  if (text.length > MAX_LENGTH) throw new InvalidCallbackUrl(`callbackUrl is longer than ${MAX_LENGTH} characters`)
  if (!/^[\x21-\x7e]+$/.test(text)) throw new InvalidCallbackUrl('callbackUrl may hold printable ASCII only; encode other characters')
  const protocols = (rules.allowPrivate || rules.allowHttp) && isPlainAllowed() ? ['https:', 'http:'] : ['https:']
  if (!protocols.some((name) => text.toLowerCase().startsWith(`${name}//`)))
    throw new InvalidCallbackUrl(`callbackUrl must start with ${protocols.map((name) => `${name}//`).join(' or ')}`)
  const url = parseWebAddress(text)
  if (url === null) throw new InvalidCallbackUrl('callbackUrl is no absolute URL')
  if (url.username !== '' || url.password !== '') throw new InvalidCallbackUrl('callbackUrl may not hold a user name or password')
  const ports = rules.allowedPorts ?? DEFAULT_PORTS
  if (!rules.allowPrivate && url.port !== '' && !ports.includes(Number(url.port))) {
    throw new InvalidCallbackUrl(`callbackUrl may name the ports ${ports.join(', ')} only`)
  }
  checkHost(text, rules.allowPrivate, ports)
  if (!canBeAllowed(hostOf(url))) throw new InvalidCallbackUrl('callbackUrl must name a host that the operator allows')
}

/**
 * Throws `InvalidCallbackUrl` for audit entries to this deployment itself: everybody in the instance can read what its
 * receivers keep.
 */
export function checkAuditTarget(
  { event, callbackUrl }: { event: SubscribableEvent; callbackUrl: string },
  { ownHost }: Pick<CallbackRules, 'ownHost'>,
): void {
  if (event === AUDIT_EVENT && new URL(callbackUrl).host.replace(/\.(?=:|$)/, '') === ownHost)
    throw new InvalidCallbackUrl('callbackUrl is an address of this deployment, which gets no audit entries')
}

function checkHost(text: string, allowPrivate: boolean, ports: readonly number[]): void {
  try {
    toTarget(text, { reach: allowPrivate ? 'private' : 'public', ports })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw new InvalidCallbackUrl('callbackUrl must name a host on the public internet')
  }
}
