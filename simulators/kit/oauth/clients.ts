import type { Call } from '../http/front.ts'

/** Client ids and their secrets; undefined takes any id with any secret. */
export type Clients = Readonly<Record<string, string>> | undefined

/** In the sandbox: the operator's client, and one for an instance that tries keys of its own. Others are refused. */
export const SANDBOX_CLIENTS = { 'sandbox-client': 'sandbox-secret', 'sandbox-own-client': 'sandbox-own-secret' }

/** An app that has proved who it is. */
export interface Client {
  id: string
  /** Whether it has no secret. */
  isPublic: boolean
}

/** How an app proves who it is; null: it does not. */
export type ClientCheck = (call: Pick<Call, 'headers'>, fields: ReadonlyMap<string, string>) => Client | null

/** By HTTP Basic, RFC 6749 2.3.1. */
export function basicClient(clients: Clients): ClientCheck {
  return ({ headers }) => {
    const [id = '', secret = ''] = basicPair(headers.authorization) ?? []
    return knownClient(clients, id, secret)
  }
}

/** By `client_id` and `client_secret` in the form. */
export function formClient(clients: Clients): ClientCheck {
  return (_call, fields) => knownClient(clients, fields.get('client_id') ?? '', fields.get('client_secret') ?? '')
}

/** By HTTP Basic, or in the form where there is no such header. */
export function anyClient(clients: Clients): ClientCheck {
  const [byBasic, byForm] = [basicClient(clients), formClient(clients)]
  return (call, fields) => (basicPair(call.headers.authorization) ? byBasic : byForm)(call, fields)
}

/** Id and secret; null where there is no such header. */
export function basicPair(authorization: string | undefined): [id: string, secret: string] | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
  return [id, secret]
}

/** The client with this id and secret; null when there is none. */
export function knownClient(clients: Clients, id: string, secret: string): Client | null {
  if (id === '' || secret === '') return null
  return clients === undefined || (Object.hasOwn(clients, id) && clients[id] === secret) ? { id, isPublic: false } : null
}
