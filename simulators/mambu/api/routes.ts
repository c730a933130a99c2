import { type BankContext, type Call, htmlReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { FaultName } from '../faults.ts'
import { type Holder, KEYS, type Row, type State } from '../state.ts'

export type MambuContext = BankContext<State, FaultName>

const JSON_TYPE = 'application/vnd.mambu.v2+json'
const DEFAULT_LENGTH = 50
const MOST_ROWS = 1000

export function isData({ path }: Call): boolean {
  return path.startsWith('/api/')
}

/** Source: https://docs.mambu.com/api/api-v2 */
export function answerCall(context: MambuContext, call: Call): Reply {
  if (!isData(call)) return htmlReply(404, 'Not Found')
  if (call.headers.accept !== JSON_TYPE) return problem(400, 10, 'INVALID_PARAMETERS', 'Accept')
  const key = String(call.headers.apikey ?? '')
  if (context.take('revoked')) {
    context.state.revoked.push(key)
    context.save()
  }
  const consumer = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (!consumer || context.state.revoked.includes(key) || context.take('unauthorized'))
    return problem(401, 2, 'INVALID_CREDENTIALS', 'apiKey')
  if (!consumer.mayRead || context.take('forbidden')) return problem(403, 15, 'INVALID_PERMISSIONS')
  const [resource = '', id = '', part] = call.path.slice('/api/'.length).split('/').map(decodeURIComponent)
  if (resource === 'clients' || resource === 'groups') return answerHolder(context, resource, id)
  if (resource === 'setup' && id === 'organization') return jsonReply(200, { name: 'Banque du Rivage', currency: 'CAD' })
  if (resource !== 'deposits' && resource !== 'loans') return problem(404, 17, 'INVALID_API_OPERATION')
  if (id === '') return answerAccounts(context, resource, call)
  const account = Object.values(context.state[resource])
    .flat()
    .find((each) => each.encodedKey === id || each.id === id)
  if (!account) return problem(404, 301, 'OBJECT_NOT_FOUND')
  if (part === 'transactions') return listReply(context, call, context.state.movements[account.encodedKey] ?? [])
  if (part !== 'schedule') return jsonReply(200, account)
  const installments = context.state.schedules[account.encodedKey]
  return installments ? jsonReply(200, { currency: { code: 'CAD' }, installments }) : problem(404, 301, 'OBJECT_NOT_FOUND')
}

function answerHolder(context: MambuContext, resource: 'clients' | 'groups', id: string): Reply {
  const holder = findHolder(context, resource, id)
  if (!holder) return problem(404, 301, resource === 'clients' ? 'INVALID_CLIENT_ID' : 'INVALID_GROUP_ID')
  return jsonReply(200, context.take('wrongHolder') ? { ...holder, encodedKey: holder.encodedKey.replace('8a8e', '8a8f') } : holder)
}

function findHolder({ state }: MambuContext, resource: 'clients' | 'groups', id: string): Holder | undefined {
  return state[resource].find((each) => each.id === id || each.encodedKey === id)
}

function answerAccounts(context: MambuContext, resource: 'deposits' | 'loans', call: Call): Reply {
  const holder = findHolder(
    context,
    call.query.get('accountHolderType') === 'GROUP' ? 'groups' : 'clients',
    call.query.get('accountHolderId') ?? '',
  )
  // BASIC includes all list fields that the connector reads.
  const rows = holder ? (context.state[resource][holder.encodedKey] ?? []) : []
  return listReply(context, call, resource === 'deposits' && context.take('schemaDrift') ? rows.map(drifted) : rows)
}

function listReply(context: MambuContext, { query }: Call, rows: readonly Row[]): Reply {
  const limit = Number(query.get('limit') ?? DEFAULT_LENGTH)
  const wanted = Number(query.get('offset') ?? 0)
  if (!(limit > 0 && limit <= MOST_ROWS)) return problem(400, 13, 'OUT_OF_BOUNDS_PAGINATION_LIMIT_VALUE', 'limit')
  const isLater = wanted > 0
  const offset = isLater && context.take('repeatPage') ? wanted - limit : wanted
  const total = rows.length - (isLater && context.take('shrunk') ? 1 : 0)
  const paging = { 'Items-Total': String(total), 'Items-Offset': String(wanted), 'Items-Limit': String(limit) }
  return jsonReply(200, rows.slice(offset, offset + limit), query.get('paginationDetails') === 'ON' ? paging : {})
}

function drifted(row: Row, index: number): Row {
  const drifts = [
    { ...row, accountType: 'GREEN_ACCOUNT', accountState: 'FROZEN_BY_COURT' },
    { ...row, balances: 'none' },
    { encodedKey: row.encodedKey },
  ]
  return drifts[index] ?? row
}

function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, type: JSON_TYPE, body: JSON.stringify(body), headers }
}

export function problem(status: number, errorCode: number, errorReason: string, errorSource?: string): Reply {
  return jsonReply(status, { errors: [{ errorCode, ...(errorSource === undefined ? {} : { errorSource }), errorReason }] })
}
