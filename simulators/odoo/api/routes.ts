import type { IncomingHttpHeaders } from 'node:http'
import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { StateStore } from '../../kit/state.ts'
import { DATABASE, type Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { exceptions, OdooException } from './exceptions.ts'
import { fieldsGet, searchRead } from './methods.ts'
import { findLogin, openModel } from './models.ts'
import { json2Reply, jsonReply, notFoundReply, rpcReply } from './replies.ts'

/** Source-specific state that survives restarts. */
export interface OwnState {
  /** Users whose key was revoked. */
  revoked: number[]
}

export interface Server {
  version: number
  state: StateStore<OwnState>
  ledger: Ledger
  faults: Faults<FaultName>
}

interface Call {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: string
}

interface Answered {
  reply: Reply
  /** Logged path, or service and method. */
  what: string
  /** Whether the call reads accounts, entries or lines. */
  isData: boolean
}

type Named = Record<string, unknown>

const FIRST_JSON2 = 19
const LAST_JSON_RPC = 21

/** Routes of Odoo that need no session. Source: odoo/addons/rpc/controllers of 19.0, addons/base/controllers/rpc.py before */
export function answerService(server: Server, call: Call): Answered {
  const { version } = server
  if (version >= FIRST_JSON2 && (call.path === '/web/version' || call.path === '/json/version')) {
    const body = { version_info: [version, 0, 0, 'final', 0, ''], version: `${version}.0` }
    return { reply: jsonReply(200, body), what: call.path, isData: false }
  }
  const json2 = /^\/json\/2\/([\w.]+)\/(\w+)$/.exec(call.path)
  if (json2 && version >= FIRST_JSON2 && call.method === 'POST') return answerJson2(server, call, json2[1] ?? '', json2[2] ?? '')
  if (call.path === '/jsonrpc' && version <= LAST_JSON_RPC && call.method === 'POST') return answerJsonRpc(server, call)
  return { reply: notFoundReply(), what: call.path, isData: false }
}

function answerJson2(server: Server, call: Call, model: string, method: string): Answered {
  const answered = { what: call.path, isData: isData(model, method) }
  try {
    const database = call.headers['x-odoo-database'] ?? DATABASE
    if (database !== DATABASE) throw exceptions.noDatabase(String(database), true)
    const apiKey = /^bearer\s+(\S+)$/i.exec(call.headers.authorization ?? '')?.[1] ?? ''
    const login = findLogin(apiKey, server.state.data.revoked)
    if (!login) throw exceptions.invalidKey()
    const { ids: _ids, context, ...named } = toNamed(JSON.parse(call.body || '{}'))
    const stray = Object.keys(named).find((name) => !ARGUMENTS[method]?.includes(name))
    if (method in ARGUMENTS && stray !== undefined) throw exceptions.unexpectedArgument(stray)
    return { ...answered, reply: jsonReply(200, execute(server, login, { model, method, named, context: toNamed(context) })) }
  } catch (error) {
    if (error instanceof OdooException) return { ...answered, reply: json2Reply(error) }
    throw error
  }
}

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  search_read: ['domain', 'fields', 'offset', 'limit', 'order', 'load'],
  fields_get: ['allfields', 'attributes'],
  context_get: [],
}

function answerJsonRpc(server: Server, call: Call): Answered {
  const envelope = toNamed(JSON.parse(call.body))
  const { service, method, args } = toNamed(envelope.params)
  const list = Array.isArray(args) ? args : []
  const [database, user, key, model, name, , named] = list
  const what = `${service}.${method}${service === 'object' ? `:${model}.${name}` : ''}`
  const answered = { what, isData: service === 'object' && isData(String(model), String(name)) }
  try {
    return { ...answered, reply: rpcReply(envelope.id, { result: serve() }) }
  } catch (error) {
    if (error instanceof OdooException) return { ...answered, reply: rpcReply(envelope.id, { error }) }
    throw error
  }

  function serve(): unknown {
    if (service === 'common' && method === 'version') {
      const info = [server.version, 0, 0, 'final', 0, 'e']
      return {
        server_version: `${server.version}.0+e`,
        server_version_info: info,
        server_serie: `${server.version}.0`,
        protocol_version: 1,
      }
    }
    if (database !== DATABASE) throw exceptions.noDatabase(String(database), false)
    const login = findLogin(String(key), server.state.data.revoked)
    if (service === 'common' && (method === 'authenticate' || method === 'login')) return login && login.login === user ? login.id : false
    if (service !== 'object' || method !== 'execute_kw') throw exceptions.noMethod(String(service), String(method))
    if (!login || login.id !== user) throw exceptions.accessDenied()
    const { context, ...rest } = toNamed(named)
    return execute(server, login, { model: String(model), method: String(name), named: rest, context: toNamed(context) })
  }
}

interface Execution {
  model: string
  method: string
  named: Named
  context: Named
}

function execute(server: Server, login: Login, { model, method, named, context }: Execution): unknown {
  const { version, faults, ledger, state } = server
  const isJson2 = version >= FIRST_JSON2
  if (isData(model, method)) {
    if (faults.take('revoked')) {
      state.data.revoked.push(login.id)
      state.save()
    }
    const isRefused = faults.take('unauthorized') || state.data.revoked.includes(login.id)
    if (isRefused) throw isJson2 ? exceptions.invalidKey() : exceptions.accessDenied()
    if (faults.take('accessError')) throw exceptions.accessError(model)
    if (faults.take('sessionExpired')) throw exceptions.sessionExpired()
    if (faults.take('internal')) throw exceptions.internal()
    if (faults.take('databaseAway')) throw exceptions.noDatabase(DATABASE, isJson2)
    if (faults.take('notRows')) return { rows: [] }
  }
  const shiftSeconds = model === 'res.company' && faults.take('wrongCompany') ? 86_400 : 0
  if (model === 'res.users' && method === 'context_get') {
    return { lang: login.lang || false, tz: 'America/Toronto', uid: login.id }
  }
  const opened = openModel(model, { version, login, context, ledger, shiftSeconds })
  if (method === 'search_read') return searchRead(model, opened, named, context, faults)
  if (method === 'fields_get') return fieldsGet(opened, named)
  throw exceptions.noMethod(model, method)
}

function isData(model: string, method: string): boolean {
  return model.startsWith('account.') && method === 'search_read'
}

function toNamed(value: unknown): Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
