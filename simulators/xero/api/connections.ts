import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { emptyReply, jsonReply, type Reply } from '../../kit/http/response.ts'
import type { Grant } from '../../kit/oauth/grants.ts'
import type { StateStore } from '../../kit/state.ts'
import { getOrganisation, LOGINS, PRACTICE } from '../data/companies.ts'
import { problemReply } from './replies.ts'

export interface ConnectionState {
  id: string
  clientId: string
  login: string
  tenantId: string
  authEventId: string
  createdAt: number
  updatedAt: number
}

/** Source-specific state that survives restarts. */
export interface OwnState {
  connections: ConnectionState[]
}

type Person = Pick<Grant, 'clientId' | 'login'>

/** Organisations that users have connected to apps. */
export class Connections {
  readonly #state: StateStore<OwnState>
  readonly #now: () => Date

  constructor(state: StateStore<OwnState>, now: () => Date) {
    this.#state = state
    this.#now = now
  }

  /** Connects an organisation to the app; an existing connection keeps its id. */
  connect(clientId: string, login: string, tenantId: string, authEventId: string): void {
    const nowMs = this.#now().getTime()
    const known = this.list({ clientId, login }).find((each) => each.tenantId === tenantId)
    if (known) Object.assign(known, { authEventId, updatedAt: nowMs })
    else this.#state.data.connections.push({ id: randomUUID(), clientId, login, tenantId, authEventId, createdAt: nowMs, updatedAt: nowMs })
    this.#state.save()
  }

  /** Connections between the user and the app of a grant, oldest first. */
  list({ clientId, login }: Person): ConnectionState[] {
    return this.#state.data.connections.filter((each) => each.clientId === clientId && each.login === login)
  }

  /** Returns false if none matches. */
  remove(fits: (connection: ConnectionState) => boolean): boolean {
    const before = this.#state.data.connections.length
    this.#state.data.connections = this.#state.data.connections.filter((each) => !fits(each))
    this.#state.save()
    return this.#state.data.connections.length < before
  }
}

export interface ConnectionCall {
  request: IncomingMessage
  /** Empty for a listing. */
  id: string
  query: URLSearchParams
  grant: Grant
  connections: Connections
}

const PRACTICE_CONNECTION = '11111111-2222-4333-8444-555555555555'

/** GET /connections and DELETE /connections/{id}. Source: https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero-identity.yaml */
export function answerConnections({ request, id, query, grant, connections: all }: ConnectionCall): Reply {
  if (request.method === 'DELETE') {
    const mine = all.list(grant)
    return all.remove((each) => each.id === id && mine.includes(each)) ? emptyReply(204) : problemReply(404, 'NotFound')
  }
  if (request.method !== 'GET' || id !== '') return problemReply(404, 'NotFound')
  const connections = all.list(grant)
  const practice = LOGINS.find(({ key }) => key === grant.login)?.hasPractice && connections.length > 0 ? [toPractice(connections)] : []
  const authEventId = query.get('authEventId')
  const shown = [...practice, ...connections.map(toConnection)]
  return jsonReply(200, authEventId === null ? shown : shown.filter((each) => each.authEventId === authEventId))
}

function toConnection(connection: ConnectionState) {
  return {
    id: connection.id,
    authEventId: connection.authEventId,
    tenantId: connection.tenantId,
    tenantType: 'ORGANISATION',
    tenantName: getOrganisation(connection.tenantId).name,
    createdDateUtc: toTimestamp(connection.createdAt),
    updatedDateUtc: toTimestamp(connection.updatedAt),
  }
}

/** The practice was connected with the newest authorization. */
function toPractice(connections: readonly ConnectionState[]) {
  const newest = [...connections].sort((a, b) => a.updatedAt - b.updatedAt).at(-1)
  const at = toTimestamp(newest?.updatedAt ?? 0)
  return {
    id: PRACTICE_CONNECTION,
    authEventId: newest?.authEventId ?? '',
    tenantId: PRACTICE.tenantId,
    tenantType: 'PRACTICE',
    tenantName: PRACTICE.name,
    createdDateUtc: at,
    updatedDateUtc: at,
  }
}

/** Seven fractional digits and no time zone. */
function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '0000')
}
