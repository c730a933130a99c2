import type { Call } from '../http/front.ts'

/** Client ids and their secrets; undefined accepts any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** Clients of the sandbox: the operator's, and one for an instance that tries its own keys. Others are refused. */
export const SANDBOX_CLIENTS = { 'sandbox-client': 'sandbox-secret', 'sandbox-own-client': 'sandbox-own-secret' }

/** An authenticated client. */
export interface Client {
  id: string
  /** True for a client without a secret. */
  isPublic: boolean
}

/** Authenticates a client; returns null if that fails. */
export type ClientCheck = (call: Pick<Call, 'headers'>, fields: ReadonlyMap<string, string>) => Client | null

/** HTTP Basic authentication, RFC 6749 2.3.1. */
export function basicClient(clients: Clients): ClientCheck {
  return ({ headers }) => {
    const [id = '', secret = ''] = basicPair(headers.authorization) ?? []
    return knownClient(clients, id, secret)
  }
}

/** Authentication by `client_id` and `client_secret` in the form. */
export function formClient(clients: Clients): ClientCheck {
  return (_call, fields) => knownClient(clients, fields.get('client_id') ?? '', fields.get('client_secret') ?? '')
}

/** HTTP Basic authentication, or by form if that header is missing. */
export function anyClient(clients: Clients): ClientCheck {
  const [byBasic, byForm] = [basicClient(clients), formClient(clients)]
  return (call, fields) => (basicPair(call.headers.authorization) ? byBasic : byForm)(call, fields)
}

/** Client id and secret; null if the header is missing. */
export function basicPair(authorization: string | undefined): [id: string, secret: string] | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return [id, secret]
}

/** The client with this id and secret; null if there is none. */
export function knownClient(clients: Clients, id: string, secret: string): Client | null {
  if (id === '' || secret === '') return null
  return clients === undefined || (Object.hasOwn(clients, id) && clients[id] === secret) ? { id, isPublic: false } : null
}
