import { randomUUID } from 'node:crypto'
import { type Call, jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { type Context, nowMs, readNightly } from '../context.ts'
import { institutionView } from '../data/institutions.ts'
import { Refusal } from './replies.ts'
import { accountsReply } from './sessions.ts'
import { loginView, nameOf } from './views.ts'

const TOKEN_MS = 30 * 60_000
const INELIGIBLE_MS = 7 * 86_400_000

const TROUBLES = [
  ['tooMany', 429, 'TOO_MANY_REQUESTS'],
  ['invalidPassword', 401, 'INVALID_PASSWORD'],
  ['disabledLogin', 401, 'DISABLED_LOGIN'],
  ['newAccount', 401, 'NEW_ACCOUNT'],
  ['cardGone', 401, 'INVALID_LOGIN'],
  ['retryLater', 401, 'RETRY_LATER'],
  ['aggregationError', 500, 'AGGREGATION_ERROR'],
  ['disabledInstitution', 400, 'DISABLED_INSTITUTION'],
  ['maintenance', 400, 'MAINTENANCE'],
  ['concurrent', 400, 'CONCURRENT_SESSION'],
] as const

export function answerApi(context: Context, call: Call): Reply {
  try {
    const [, customerId, path] = /^\/v3\/([^/]+)\/BankingServices(\/.*)$/.exec(call.path) ?? []
    if (path === undefined || (context.keys && customerId !== context.keys.customerId))
      throw new Refusal(404, 'NOT_FOUND', 'Nothing is here')
    return route(context, call, path)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function route(context: Context, call: Call, path: string): Reply {
  const key = `${call.method} ${path}`
  if (key === 'POST /GenerateAuthorizeToken') return makeToken(context, call)
  if (key === 'POST /Authorize') return authorize(context, call)
  if (key === 'POST /GetAccountsDetail') return accountsReply(context, 'detail', bodyOf(call))
  if (key === 'POST /GetAccountsSummary') return accountsReply(context, 'summary', bodyOf(call))
  const [, kind, requestId] = /^GET \/GetAccounts(Detail|Summary)Async\/([^/]+)$/.exec(key) ?? []
  if (requestId !== undefined) return accountsReply(context, kind === 'Detail' ? 'detail' : 'summary', { RequestId: requestId })
  if (key === 'GET /Institutions') return listInstitutions(context, call)
  checkKeys(context, call)
  if (key === 'PATCH /SetScheduledRefresh') return setScheduled(context, bodyOf(call))
  if (key === 'GET /GetNightlyRefreshStatus') return listIneligible(context)
  const [, loginId] = /^DELETE \/DeleteCard\/([^/]+)$/.exec(key) ?? []
  if (loginId !== undefined) return deleteCard(context, loginId)
  throw new Refusal(404, 'NOT_FOUND', 'Nothing is here')
}

function makeToken(context: Context, call: Call): Reply {
  if (context.bank.take('keysRefused')) throw new Refusal(401, 'UNAUTHORIZED', 'The secret key is not valid')
  checkKeys(context, call)
  const token = randomUUID()
  context.bank.state.tokens[token] = { issuedAt: nowMs(context), isUsed: false }
  context.bank.save()
  return jsonReply(200, { HttpStatusCode: 200, Token: token })
}

/** Consumes a one-time token. */
export function takeToken(context: Context, token: unknown): void {
  const known = typeof token === 'string' ? context.bank.state.tokens[token] : undefined
  if (!known || known.isUsed || known.issuedAt + TOKEN_MS <= nowMs(context))
    throw new Refusal(401, 'UNAUTHORIZED', 'The authorize token is not valid')
  known.isUsed = true
}

function authorize(context: Context, call: Call): Reply {
  takeToken(context, call.headers['flinks-auth-key'])
  for (const [fault, status, code] of TROUBLES) if (context.bank.take(fault)) throw new Refusal(status, code, `Refused: ${code}`)
  if (context.bank.take('bodyStatus')) return jsonReply(200, { HttpStatusCode: 401, FlinksCode: 'INVALID_PASSWORD', Message: 'Refused' })
  const { LoginId: loginId, MostRecentCached: isCached } = bodyOf(call)
  const login = typeof loginId === 'string' ? context.bank.state.logins[loginId] : undefined
  if (!login) throw new Refusal(401, 'INVALID_LOGIN', 'The login is not known')
  readNightly(context, login)
  if (isCached !== true) {
    if (login.trouble === 'INVALID_PASSWORD')
      throw new Refusal(401, 'INVALID_PASSWORD', 'The password is not the one that the bank expects')
    if (login.trouble === null) login.readAt = nowMs(context)
  }
  const isAsking = context.bank.take('challenge') || (isCached !== true && login.trouble === 'CHALLENGE')
  const requestId = randomUUID()
  context.bank.state.sessions[requestId] = { loginId: login.id, usedAt: nowMs(context), isOpen: !isAsking, asked: null }
  context.bank.save()
  const common = {
    Links: [],
    InstitutionName: nameOf(context, login),
    InstitutionId: login.institutionId,
    Login: loginView(login),
    RequestId: requestId,
  }
  if (!isAsking) return jsonReply(200, { HttpStatusCode: 200, ...common })
  const challenge = { Type: 'QuestionAndAnswer', Prompt: 'What city were you born in?' }
  return jsonReply(203, {
    HttpStatusCode: 203,
    SecurityChallenges: [challenge],
    Institution: nameOf(context, login),
    Links: [],
    RequestId: requestId,
  })
}

function listInstitutions(context: Context, call: Call): Reply {
  const [take, skip] = [Number(call.query.get('take') ?? 100), Number(call.query.get('skip') ?? 0)]
  if (!(take >= 1 && take <= 1_000) || !(skip >= 0)) throw new Refusal(400, 'INVALID_REQUEST', 'take is from 1 to 1000')
  return jsonReply(200, { Data: context.directory.slice(skip, skip + take).map(institutionView), Count: context.directory.length })
}

function setScheduled(context: Context, body: Record<string, unknown>): Reply {
  const login = typeof body.LoginId === 'string' ? context.bank.state.logins[body.LoginId] : undefined
  if (!login) throw new Refusal(400, 'INVALID_LOGIN', 'Invalid LoginId')
  login.isScheduled = body.IsActivated === true
  context.bank.save()
  return jsonReply(200, { HttpStatusCode: 200, FlinksCode: 'OK' })
}

function listIneligible(context: Context): Reply {
  const logins = Object.values(context.bank.state.logins).filter(({ isScheduled }) => isScheduled)
  const passed = logins.filter(({ trouble, readAt }) => trouble !== null || nowMs(context) - readAt > INELIGIBLE_MS)
  return jsonReply(200, { IneligibleCards: passed.map(({ id }) => ({ LoginId: id, Reason: 'The last authorization failed' })) })
}

function deleteCard(context: Context, loginId: string): Reply {
  const { state } = context.bank
  if (!state.logins[loginId]) throw new Refusal(400, 'INVALID_LOGIN', 'Invalid LoginId')
  delete state.logins[loginId]
  for (const [id] of Object.entries(state.sessions).filter(([, session]) => session.loginId === loginId)) delete state.sessions[id]
  context.bank.save()
  return jsonReply(200, { StatusCode: 200, Message: `All of the information about LoginId ${loginId} has been removed` })
}

function checkKeys(context: Context, call: Call): void {
  const key = call.headers['flinks-auth-key']
  if (typeof key !== 'string' || key === '' || (context.keys && key !== context.keys.secretKey))
    throw new Refusal(401, 'UNAUTHORIZED', 'The secret key is not valid')
}

function bodyOf(call: Call): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(call.body)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Refusal(400, 'INVALID_REQUEST', 'The body is not a JSON object')
}
