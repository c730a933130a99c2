import { randomUUID } from 'node:crypto'
import { type Call, jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { institutionView } from './directory.ts'
import { Refusal } from './replies.ts'
import { accountsReply } from './sessions.ts'
import type { Login } from './state.ts'
import { institutionOf, nowMs, readNightly, type World } from './world.ts'

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

export function answerApi(world: World, call: Call): Reply {
  try {
    const [, customerId, path] = /^\/v3\/([^/]+)\/BankingServices(\/.*)$/.exec(call.path) ?? []
    if (path === undefined || (world.keys && customerId !== world.keys.customerId)) throw new Refusal(404, 'NOT_FOUND', 'Nothing is here')
    return route(world, call, path)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function route(world: World, call: Call, path: string): Reply {
  const key = `${call.method} ${path}`
  if (key === 'POST /GenerateAuthorizeToken') return makeToken(world, call)
  if (key === 'POST /Authorize') return authorize(world, call)
  if (key === 'POST /GetAccountsDetail') return accountsReply(world, 'detail', bodyOf(call))
  if (key === 'POST /GetAccountsSummary') return accountsReply(world, 'summary', bodyOf(call))
  const [, kind, requestId] = /^GET \/GetAccounts(Detail|Summary)Async\/([^/]+)$/.exec(key) ?? []
  if (requestId !== undefined) return accountsReply(world, kind === 'Detail' ? 'detail' : 'summary', { RequestId: requestId })
  if (key === 'GET /Institutions') return listInstitutions(world, call)
  checkKeys(world, call)
  if (key === 'PATCH /SetScheduledRefresh') return setScheduled(world, bodyOf(call))
  if (key === 'GET /GetNightlyRefreshStatus') return listIneligible(world)
  const [, loginId] = /^DELETE \/DeleteCard\/([^/]+)$/.exec(key) ?? []
  if (loginId !== undefined) return deleteCard(world, loginId)
  throw new Refusal(404, 'NOT_FOUND', 'Nothing is here')
}

function makeToken(world: World, call: Call): Reply {
  if (world.context.take('keysRefused')) throw new Refusal(401, 'UNAUTHORIZED', 'The secret key is not valid')
  checkKeys(world, call)
  const token = randomUUID()
  world.context.state.tokens[token] = { issuedAt: nowMs(world), isUsed: false }
  world.context.save()
  return jsonReply(200, { HttpStatusCode: 200, Token: token })
}

/** Uses a token up. */
export function takeToken(world: World, token: unknown): void {
  const known = typeof token === 'string' ? world.context.state.tokens[token] : undefined
  if (!known || known.isUsed || known.issuedAt + TOKEN_MS <= nowMs(world))
    throw new Refusal(401, 'UNAUTHORIZED', 'The authorize token is not valid')
  known.isUsed = true
}

function authorize(world: World, call: Call): Reply {
  takeToken(world, call.headers['flinks-auth-key'])
  for (const [fault, status, code] of TROUBLES) if (world.context.take(fault)) throw new Refusal(status, code, `Refused: ${code}`)
  if (world.context.take('bodyStatus')) return jsonReply(200, { HttpStatusCode: 401, FlinksCode: 'INVALID_PASSWORD', Message: 'Refused' })
  const { LoginId: loginId, MostRecentCached: isCached } = bodyOf(call)
  const login = typeof loginId === 'string' ? world.context.state.logins[loginId] : undefined
  if (!login) throw new Refusal(401, 'INVALID_LOGIN', 'The login is not known')
  readNightly(world, login)
  if (isCached !== true) {
    if (login.trouble === 'INVALID_PASSWORD')
      throw new Refusal(401, 'INVALID_PASSWORD', 'The password is not the one that the bank expects')
    if (login.trouble === null) login.readAt = nowMs(world)
  }
  const isAsking = world.context.take('challenge') || (isCached !== true && login.trouble === 'CHALLENGE')
  const requestId = randomUUID()
  world.context.state.sessions[requestId] = { loginId: login.id, usedAt: nowMs(world), isOpen: !isAsking, asked: null }
  world.context.save()
  const common = {
    Links: [],
    InstitutionName: nameOf(world, login),
    InstitutionId: login.institutionId,
    Login: loginView(login),
    RequestId: requestId,
  }
  if (!isAsking) return jsonReply(200, { HttpStatusCode: 200, ...common })
  const challenge = { Type: 'QuestionAndAnswer', Prompt: 'What city were you born in?' }
  return jsonReply(203, {
    HttpStatusCode: 203,
    SecurityChallenges: [challenge],
    Institution: nameOf(world, login),
    Links: [],
    RequestId: requestId,
  })
}

export function loginView(login: Login): Record<string, unknown> {
  return {
    Username: 'utilisateur-secret',
    IsScheduledRefresh: login.isScheduled,
    // Without a zone, as it comes.
    LastRefresh: new Date(login.readAt).toISOString().replace('Z', '123'),
    Type: login.isBusiness ? 'Business' : 'Personal',
    Id: login.id,
  }
}

export function nameOf(world: World, login: Login): string {
  return institutionOf(world, login.institutionId)?.en ?? 'Unknown'
}

function listInstitutions(world: World, call: Call): Reply {
  const [take, skip] = [Number(call.query.get('take') ?? 100), Number(call.query.get('skip') ?? 0)]
  if (!(take >= 1 && take <= 1_000) || !(skip >= 0)) throw new Refusal(400, 'INVALID_REQUEST', 'take is from 1 to 1000')
  return jsonReply(200, { Data: world.directory.slice(skip, skip + take).map(institutionView), Count: world.directory.length })
}

function setScheduled(world: World, body: Record<string, unknown>): Reply {
  const login = typeof body.LoginId === 'string' ? world.context.state.logins[body.LoginId] : undefined
  if (!login) throw new Refusal(400, 'INVALID_LOGIN', 'Invalid LoginId')
  login.isScheduled = body.IsActivated === true
  world.context.save()
  return jsonReply(200, { HttpStatusCode: 200, FlinksCode: 'OK' })
}

function listIneligible(world: World): Reply {
  const logins = Object.values(world.context.state.logins).filter(({ isScheduled }) => isScheduled)
  const passed = logins.filter(({ trouble, readAt }) => trouble !== null || nowMs(world) - readAt > INELIGIBLE_MS)
  return jsonReply(200, { IneligibleCards: passed.map(({ id }) => ({ LoginId: id, Reason: 'The last authorization failed' })) })
}

function deleteCard(world: World, loginId: string): Reply {
  const { state } = world.context
  if (!state.logins[loginId]) throw new Refusal(400, 'INVALID_LOGIN', 'Invalid LoginId')
  delete state.logins[loginId]
  for (const [id] of Object.entries(state.sessions).filter(([, session]) => session.loginId === loginId)) delete state.sessions[id]
  world.context.save()
  return jsonReply(200, { StatusCode: 200, Message: `All of the information about LoginId ${loginId} has been removed` })
}

function checkKeys(world: World, call: Call): void {
  const key = call.headers['flinks-auth-key']
  if (typeof key !== 'string' || key === '' || (world.keys && key !== world.keys.secretKey))
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
