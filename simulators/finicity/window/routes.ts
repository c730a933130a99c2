import { randomUUID } from 'node:crypto'
import { jsonReply } from '../../kit/bank-simulator.ts'
import { withoutAccents } from '../../kit/data/institutions.ts'
import { type Reply, seeOtherReply, windowReply } from '../../kit/http/response.ts'
import { LISTED } from '../../kit/pages/bank-window.ts'
import { takeNumber } from '../../kit/state.ts'
import { customerOf, loginOf } from '../api/customers.ts'
import { badField } from '../api/replies.ts'
import { type Context, institutionOf, nowSeconds } from '../context.ts'
import { ROLES } from '../data/accounts.ts'
import type { Link, Login } from '../state.ts'
import { accountsPage, codePage, institutionPage, loginPage, messagePage } from './pages.ts'

/** Source: the `ttl` of links in the quick start guide */
const LINK_SECONDS = 7_200

/** `kind` is empty, `/lite` (one bank) or `/fix` (an existing login). */
export function generateLink(context: Context, kind: string, body: Record<string, unknown>): Reply {
  const customerId = textOf(body, 'customerId')
  textOf(body, 'partnerId')
  customerOf(context, customerId)
  const institutionId = kind === '/lite' ? body.institutionId : null
  if (kind === '/lite' && (typeof institutionId !== 'number' || !institutionOf(context, institutionId)))
    throw badField('institutionId is not known')
  const login = kind === '/fix' ? loginOf(context, customerId, textOf(body, 'institutionLoginId')) : null
  const link: Link = {
    id: randomUUID(),
    customerId,
    createdAt: nowSeconds(context),
    language: body.language === 'fr' ? 'fr' : 'en',
    institutionId: login?.institutionId ?? (typeof institutionId === 'number' ? institutionId : null),
    fixLoginId: login?.id ?? null,
    redirectUri: typeof body.redirectUri === 'string' ? body.redirectUri : null,
    webhook: typeof body.webhook === 'string' ? body.webhook : null,
    webhookData: body.webhookData ?? {},
    singleUse: body.singleUseUrl === true,
    step: login || institutionId !== null ? 'login' : 'institution',
    problem: null,
    giant: false,
  }
  context.bank.state.links[link.id] = link
  context.bank.save()
  context.sendEvent(link.webhook, { eventType: 'ping', payload: {} })
  return jsonReply(200, { link: addressOf(context, link) })
}

export function showConnect(context: Context, id: string, query: URLSearchParams): Reply {
  const link = context.bank.state.links[id]
  const problem = problemOf(context, link)
  if (!link || problem) return windowReply(link ? 410 : 404, messagePage(link?.language ?? 'en', problem ?? 'unknown'))
  const action = addressOf(context, link)
  const bank = link.institutionId === null ? null : institutionOf(context, link.institutionId)
  if (link.step === 'institution' || !bank) {
    const wanted = query.get('q') ?? ''
    const found = context.directory
      .filter(({ name, transAgg }) => transAgg && withoutAccents(name).includes(withoutAccents(wanted)))
      .slice(0, LISTED)
    return windowReply(200, institutionPage(link, action, wanted, found))
  }
  if (link.step === 'login') return windowReply(200, loginPage(link, action, bank.name))
  if (link.step === 'code') return windowReply(200, codePage(link, action))
  return windowReply(200, accountsPage(link, action, bank.name, ROLES))
}

export function submitConnect(context: Context, id: string, form: string, values: URLSearchParams): Reply {
  const link = context.bank.state.links[id]
  const problem = problemOf(context, link)
  if (!link || problem) return windowReply(link ? 410 : 404, messagePage(link?.language ?? 'en', problem ?? 'unknown'))
  link.problem = null
  let away: Reply | null = null
  if (form === 'exit') away = leave(context, link, { code: '100', reason: 'cancel' })
  else if (form === 'institution' && link.step === 'institution') choose(context, link, Number(values.get('institutionId')))
  else if (form === 'login' && link.step === 'login')
    away = signIn(context, link, values.get('username') ?? '', values.get('password') ?? '')
  else if (form === 'code' && link.step === 'code') {
    if (values.get('code') === '1234') away = afterLogin(context, link)
    else link.problem = 'code'
  } else if (form === 'accounts' && link.step === 'accounts') away = share(context, link, values.getAll('account'))
  context.bank.save()
  return away ?? seeOtherReply(addressOf(context, link))
}

function choose(context: Context, link: Link, institutionId: number): void {
  if (!institutionOf(context, institutionId)) return
  link.institutionId = institutionId
  link.step = 'login'
}

function signIn(context: Context, link: Link, username: string, password: string): Reply | null {
  link.giant = username === 'giant'
  if (username !== '' && password === 'finbank') return afterLogin(context, link)
  if (username !== '' && password === 'finbank-code') link.step = 'code'
  else link.problem = 'credentials'
  return null
}

function afterLogin(context: Context, link: Link): Reply | null {
  const login = link.fixLoginId === null ? undefined : context.bank.state.logins[String(link.fixLoginId)]
  if (!login) {
    link.step = 'accounts'
    return null
  }
  login.statusCode = 0
  login.aggregatedAt = nowSeconds(context)
  send(context, link, 'credentialsUpdated', { institutionLoginId: login.id })
  return leave(context, link, { code: '200', reason: 'complete' })
}

function share(context: Context, link: Link, roles: readonly string[]): Reply | null {
  const chosen = ROLES.filter(({ role }) => roles.includes(role))
  if (chosen.length === 0 || link.institutionId === null) {
    link.problem = 'accounts'
    return null
  }
  const number = takeNumber(context.bank.state)
  const names = link.giant ? Array.from({ length: context.giantAccounts }, (_, place) => `G${place}`) : chosen.map(({ role }) => role)
  const login: Login = {
    id: 1_007_000_000 + number,
    customerId: link.customerId,
    institutionId: link.institutionId,
    createdAt: nowSeconds(context),
    aggregatedAt: null,
    statusCode: 0,
    giant: link.giant,
    accounts: names.map((role, place) => ({ id: 6_000_000_000 + number * 20_000 + place, role, changes: {} })),
    entered: [],
  }
  context.bank.state.logins[String(login.id)] = login
  const accounts = login.accounts.slice(0, 20).map(({ id }) => ({ id: String(id), institutionLoginId: login.id }))
  send(context, link, 'added', { institutionId: String(login.institutionId), accounts })
  return leave(context, link, { code: '200', reason: 'complete' })
}

function leave(context: Context, link: Link, outcome: Record<string, string>): Reply {
  link.step = 'done'
  send(context, link, outcome.code === '200' ? 'done' : 'cancel', {})
  context.bank.save()
  if (link.redirectUri === null) return windowReply(200, messagePage(link.language, 'closed'))
  const away = new URL(link.redirectUri)
  for (const [name, value] of Object.entries(outcome)) away.searchParams.set(name, value)
  return seeOtherReply(away.href)
}

function send(context: Context, link: Link, eventType: string, payload: object): void {
  const eventId = `${context.bank.now().getTime()}-${randomUUID().slice(0, 24)}`
  context.sendEvent(link.webhook, { customerId: link.customerId, eventType, eventId, payload, webhookData: link.webhookData })
}

function problemOf(context: Context, link: Link | undefined): 'unknown' | 'expired' | 'closed' | null {
  if (!link) return 'unknown'
  if (link.step === 'done') return 'closed'
  return link.createdAt + LINK_SECONDS <= nowSeconds(context) ? 'expired' : null
}

function addressOf(context: Context, link: Link): string {
  return `${context.bank.baseUrl()}/data-connect/${link.id}`
}

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw badField(`${name} is required`)
  return value
}
