import type { IncomingMessage } from 'node:http'
import { jsonReply, type Reply } from '../kit/http/response.ts'
import { getOrganisation, LOGINS, PRACTICE } from './organisations.ts'
import { problemReply } from './replies.ts'
import type { ConnectionState, GrantState } from './state.ts'
import type { Tokens } from './tokens.ts'

export interface ConnectionCall {
  request: IncomingMessage
  /** Empty for the list. */
  id: string
  query: URLSearchParams
  grant: GrantState
  tokens: Tokens
}

const PRACTICE_CONNECTION = '11111111-2222-4333-8444-555555555555'

/** GET /connections and DELETE /connections/{id}. Source: https://github.com/XeroAPI/Xero-OpenAPI/blob/master/xero-identity.yaml */
export function answerConnections({ request, id, query, grant, tokens }: ConnectionCall): Reply {
  if (request.method === 'DELETE') {
    return tokens.removeConnection(grant, id) ? { status: 204, type: '', body: '' } : problemReply(404, 'NotFound')
  }
  if (request.method !== 'GET' || id !== '') return problemReply(404, 'NotFound')
  const connections = tokens.listConnections(grant)
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

/** The practice came with the newest authorization. */
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

/** Seven digits of a second and no zone. */
function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '0000')
}
