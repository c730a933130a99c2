import { type BankContext, type Call, jsonReply, readBasic, textReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { listMovements } from '../data/movements.ts'
import type { FaultName } from '../faults.ts'
import type { Account, State } from '../state.ts'
import { createPage } from '../window/pages.ts'

export type SimplefinContext = BankContext<State, FaultName>

const MOST_DAYS = 90
const DAY_S = 86_400

export function isData({ path }: Call): boolean {
  return path === '/simplefin/accounts'
}

/** Source: https://www.simplefin.org/protocol.html */
export function answerCall(context: SimplefinContext, call: Call): Reply {
  const { path, method } = call
  if (path === '/simplefin/info') return jsonReply(200, { versions: ['1.0'] })
  if (path === '/simplefin/create') return answerCreate(context, call)
  const code = /^\/simplefin\/claim\/([\w-]+)$/.exec(path)?.[1]
  if (code !== undefined) return method === 'POST' ? answerClaim(context, code) : textReply(405, 'Method not allowed')
  return isData(call) ? answerAccounts(context, call) : textReply(404, 'Not found')
}

function answerCreate(context: SimplefinContext, { method, body, headers }: Call): Reply {
  const users = Object.keys(context.state.users)
  const user = method === 'POST' ? new URLSearchParams(body).get('user') : null
  const token = user !== null && users.includes(user) ? createToken(context, user) : null
  return { status: 200, type: 'text/html; charset=utf-8', body: createPage(headers['accept-language'], users, token) }
}

/** A setup token: the claim address in Base64. */
export function createToken({ state, save, baseUrl }: Pick<SimplefinContext, 'state' | 'save' | 'baseUrl'>, user: string): string {
  const code = `sandbox-claim-${Object.keys(state.tokens).length + 1}`
  state.tokens[code] = { user, isClaimed: false }
  save()
  return Buffer.from(`${baseUrl()}/simplefin/claim/${code}`).toString('base64')
}

/** A public token that can be claimed repeatedly, as the real bridge has; its owner is `cafe`. */
const DEMO = 'demo'

function answerClaim(context: SimplefinContext, code: string): Reply {
  const { state } = context
  if (code === DEMO) {
    state.accesses[DEMO] = { password: DEMO, user: 'cafe', isRevoked: false }
    context.save()
    return textReply(200, `${context.baseUrl().replace('://', `://${DEMO}:${DEMO}@`)}/simplefin\n`)
  }
  const token = state.tokens[code]
  if (!token || token.isClaimed) return textReply(403, 'Forbidden')
  token.isClaimed = true
  const name = `ACCESS${Object.keys(state.accesses).length + 1}`
  const password = `sandbox-access-${code}`
  state.accesses[name] = { password, user: token.user, isRevoked: false }
  context.save()
  if (context.take('oddClaim')) return textReply(200, 'thank you')
  const [scheme = '', host = ''] = context.baseUrl().split('://')
  return textReply(
    200,
    context.take('openClaim') ? `http://${name}:${password}@bank.example/simplefin` : `${scheme}://${name}:${password}@${host}/simplefin\n`,
  )
}

function answerAccounts(context: SimplefinContext, { headers, query }: Call): Reply {
  const login = readBasic(headers)
  const access = login && context.state.accesses[login.user]
  if (access && context.take('revoked')) {
    access.isRevoked = true
    context.save()
  }
  if (!access || access.password !== login.password || access.isRevoked || context.take('unauthorized'))
    return textReply(403, 'Authentication failed')
  if (context.take('unpaid')) return textReply(402, 'Payment required')
  const errors: string[] = []
  let accounts = context.state.users[access.user] ?? []
  if (context.take('reauthenticate')) errors.push('Connection to Caisse du Lac may need attention. <b>You must reauthenticate.</b>')
  if (context.take('quota')) errors.push('Too many requests today. Please stay below 24 requests a day.')
  if (context.take('bankDown')) {
    errors.push('First Harbor Bank did not answer.')
    accounts = accounts.filter(({ org }) => org.domain !== 'firstharbor.example')
  }
  return jsonReply(200, { errors, accounts: accounts.map((account) => show(account, query, context.now(), errors)) })
}

function show(
  { movements: _movements, pending: _pending, dropped: _dropped, ...account }: Account,
  query: URLSearchParams,
  now: Date,
  errors: string[],
) {
  const nowS = Math.floor(now.getTime() / 1000)
  const common = { ...account, 'balance-date': nowS - 3_600 }
  if (query.get('balances-only') === '1') return { ...common, transactions: [] }
  const toS = Number(query.get('end-date') ?? nowS)
  let fromS = Number(query.get('start-date') ?? nowS - 30 * DAY_S)
  if (toS - fromS > MOST_DAYS * DAY_S) {
    fromS = toS - MOST_DAYS * DAY_S
    const text = `Requested date range is longer than ${MOST_DAYS} days and was capped.`
    if (!errors.includes(text)) errors.push(text)
  }
  const whole: Account = { movements: _movements, pending: _pending, dropped: _dropped, ...account }
  return { ...common, transactions: listMovements(whole, fromS, toS, nowS, query.get('pending') === '1') }
}
