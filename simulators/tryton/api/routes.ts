import { randomBytes } from 'node:crypto'
import { type BankContext, type Call, htmlReply, jsonReply, textReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { FaultName } from '../faults.ts'
import { type Books, project, search } from './search.ts'

interface Session {
  user: string
  key: string
  openedAt: string
}

export interface Sessions {
  sessions: Session[]
}

type TrytonContext = BankContext<Sessions, FaultName>

interface User {
  id: number
  password: string
  /** Null if the user works for no company and sees none. */
  company: number | null
  email: string
}

const DATABASE = 'sandbox'
const USERS = new Map<string, User>([
  ['mireille', { id: 4, password: 'sandbox-password-mireille', company: 1, email: 'mireille@glenbowdental.example' }],
  ['temp', { id: 9, password: 'sandbox-password-temp', company: null, email: '' }],
])
/** trytond's default `session.max_age`. */
const SESSION_MS = 30 * 24 * 3_600_000

interface Rpc {
  id: unknown
  method: string
  params: unknown[]
}

export function isData(call: Call): boolean {
  return readRpc(call)?.method.startsWith('model.') ?? false
}

/** Tryton returns its own exceptions with status 200. */
export function throttled(): Reply {
  return failure(1, 'RateLimitException', [])
}

/** Source: trytond 6.0, trytond/protocols/dispatcher.py and jsonrpc.py */
export function answerCall(context: TrytonContext, books: Books, call: Call): Reply {
  const rpc = readRpc(call)
  if (!rpc) return htmlReply(call.method === 'POST' ? 400 : 404, call.method === 'POST' ? 'Bad Request' : 'Tryton')
  if (rpc.method === 'common.server.version') return result(rpc.id, '6.0.29')
  if (decodeURIComponent(call.path) !== `/${DATABASE}/`) return htmlReply(404, 'Not Found')
  if (rpc.method === 'common.db.login') return logIn(context, rpc)
  const session = findSession(context, call)
  const user = session && USERS.get(session.user)
  if (!user || (isData(call) && context.take('unauthorized'))) return textReply(401, 'Unauthorized')
  if (rpc.method === 'common.db.logout') {
    close(context, session.key)
    return result(rpc.id, null)
  }
  if (context.take('unavailable')) return htmlReply(404, 'Not Found')
  if (context.take('forbidden')) return failure(rpc.id, 'UserError', ['You are not allowed to access this model.', ''])
  if (context.take('internalError')) return failure(rpc.id, 'connection already closed', 'Traceback (most recent call last): …')
  try {
    return answerModel(books, user, rpc)
  } catch (error) {
    if (error instanceof RangeError) return failure(rpc.id, error.message, 'Traceback (most recent call last): …')
    throw error
  }
}

function logIn(context: TrytonContext, { id, params }: Rpc): Reply {
  const [name, given] = params
  const user = typeof name === 'string' ? USERS.get(name) : undefined
  const password = typeof given === 'object' && given !== null && 'password' in given ? given.password : null
  if (typeof name !== 'string' || !user || user.password !== password || context.take('revoked')) return textReply(401, 'Unauthorized')
  const key = randomBytes(32).toString('hex')
  const young = context.state.sessions.filter((session) => isYoung(context, session))
  context.state.sessions = [...young, { user: name, key, openedAt: context.now().toISOString() }]
  context.save()
  return result(id, [user.id, key])
}

/** The header holds `user:number:key` in base64. */
function findSession(context: TrytonContext, { headers }: Call): Session | undefined {
  const [, encoded = ''] = /^Session (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, id, key] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return context.state.sessions.find(
    (session) => session.key === key && String(USERS.get(session.user)?.id) === id && isYoung(context, session),
  )
}

function isYoung({ now }: TrytonContext, { openedAt }: Session): boolean {
  return now().getTime() - Date.parse(openedAt) < SESSION_MS
}

function close({ state, save }: TrytonContext, key: string): void {
  state.sessions = state.sessions.filter((session) => session.key !== key)
  save()
}

function answerModel(books: Books, user: User, { id, method, params }: Rpc): Reply {
  if (method === 'model.res.user.get_preferences') {
    const company = user.company === null ? {} : { company: user.company, companies: [user.company] }
    return result(id, { language: 'en', email: user.email, ...company })
  }
  const [, model = '', action = ''] = /^model\.(.+)\.(\w+)$/.exec(method) ?? []
  const table = books.get(model)
  if (!table) return failure(id, `'${model}'`, 'Traceback (most recent call last): …')
  const visible = user.company === null ? { ...table, rows: [] } : table
  switch (action) {
    case 'search_read': {
      const [domain, offset, limit, order, fields, context] = params
      const found = search(books, visible, { domain, offset, limit, order, context })
      return result(id, project(books, visible, found, fields))
    }
    case 'search': {
      const [domain, offset, limit, order, context] = params
      return result(
        id,
        search(books, visible, { domain, offset, limit, order, context }).map((row) => row.id),
      )
    }
    case 'read': {
      const [ids, fields] = params
      const wanted = Array.isArray(ids) ? ids : []
      return result(
        id,
        project(
          books,
          visible,
          visible.rows.filter((row) => wanted.includes(row.id)),
          fields,
        ),
      )
    }
    case 'fields_get': {
      const [names] = params
      const known = Object.keys(table.rows[0] ?? {}).filter((name) => !Array.isArray(names) || names.length === 0 || names.includes(name))
      return result(id, Object.fromEntries(known.map((name) => [name, { name, readonly: true }])))
    }
    default:
      return failure(id, `Calling method ${action} on ${model} is not allowed`, 'Traceback (most recent call last): …')
  }
}

function readRpc({ method, body }: Call): Rpc | null {
  if (method !== 'POST') return null
  try {
    const given: { id?: unknown; method?: unknown; params?: unknown } | null = JSON.parse(body)
    if (typeof given?.method !== 'string' || !Array.isArray(given.params)) return null
    return { id: given.id ?? null, method: given.method, params: given.params }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function result(id: unknown, value: unknown): Reply {
  return jsonReply(200, { id, result: value })
}

function failure(id: unknown, name: string, rest: unknown): Reply {
  return jsonReply(200, { id, error: [name, rest] })
}
