import { randomUUID } from 'node:crypto'
import { jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { seeOtherReply, windowReply } from '../kit/http/response.ts'
import { ROLES } from './book.ts'
import { accountsPage, codePage, institutionPage, loginPage, messagePage } from './connect-pages.ts'
import { customerOf, loginOf } from './data.ts'
import { badField } from './replies.ts'
import type { Link, Login } from './state.ts'
import { institutionOf, nowSeconds, takeNumber, type World } from './world.ts'

/** Source: the `ttl` of links in the quick start guide */
const LINK_SECONDS = 7_200
const LISTED = 12

/** `kind` is empty, `/lite` (one bank) or `/fix` (a login that is there). */
export function generateLink(world: World, kind: string, body: Record<string, unknown>): Reply {
  const customerId = textOf(body, 'customerId')
  textOf(body, 'partnerId')
  customerOf(world, customerId)
  const institutionId = kind === '/lite' ? body.institutionId : null
  if (kind === '/lite' && (typeof institutionId !== 'number' || !institutionOf(world, institutionId)))
    throw badField('institutionId is not known')
  const login = kind === '/fix' ? loginOf(world, customerId, textOf(body, 'institutionLoginId')) : null
  const link: Link = {
    id: randomUUID(),
    customerId,
    createdAt: nowSeconds(world),
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
  world.context.state.links[link.id] = link
  world.context.save()
  world.sendEvent(link.webhook, { eventType: 'ping', payload: {} })
  return jsonReply(200, { link: addressOf(world, link) })
}

export function showConnect(world: World, id: string, query: URLSearchParams): Reply {
  const link = world.context.state.links[id]
  const problem = problemOf(world, link)
  if (!link || problem) return windowReply(link ? 410 : 404, messagePage(link?.language ?? 'en', problem ?? 'unknown'))
  const action = addressOf(world, link)
  const bank = link.institutionId === null ? null : institutionOf(world, link.institutionId)
  if (link.step === 'institution' || !bank) {
    const wanted = query.get('q') ?? ''
    const found = world.directory.filter(({ name, transAgg }) => transAgg && plain(name).includes(plain(wanted))).slice(0, LISTED)
    return windowReply(200, institutionPage(link, action, wanted, found))
  }
  if (link.step === 'login') return windowReply(200, loginPage(link, action, bank.name))
  if (link.step === 'code') return windowReply(200, codePage(link, action))
  return windowReply(200, accountsPage(link, action, bank.name, ROLES))
}

export function submitConnect(world: World, id: string, form: string, values: URLSearchParams): Reply {
  const link = world.context.state.links[id]
  const problem = problemOf(world, link)
  if (!link || problem) return windowReply(link ? 410 : 404, messagePage(link?.language ?? 'en', problem ?? 'unknown'))
  link.problem = null
  let away: Reply | null = null
  if (form === 'exit') away = leave(world, link, { code: '100', reason: 'cancel' })
  else if (form === 'institution' && link.step === 'institution') choose(world, link, Number(values.get('institutionId')))
  else if (form === 'login' && link.step === 'login') away = signIn(world, link, values.get('username') ?? '', values.get('password') ?? '')
  else if (form === 'code' && link.step === 'code') {
    if (values.get('code') === '1234') away = afterLogin(world, link)
    else link.problem = 'code'
  } else if (form === 'accounts' && link.step === 'accounts') away = share(world, link, values.getAll('account'))
  world.context.save()
  return away ?? seeOtherReply(addressOf(world, link))
}

function choose(world: World, link: Link, institutionId: number): void {
  if (!institutionOf(world, institutionId)) return
  link.institutionId = institutionId
  link.step = 'login'
}

function signIn(world: World, link: Link, username: string, password: string): Reply | null {
  link.giant = username === 'giant'
  if (username !== '' && password === 'finbank') return afterLogin(world, link)
  if (username !== '' && password === 'finbank-code') link.step = 'code'
  else link.problem = 'credentials'
  return null
}

function afterLogin(world: World, link: Link): Reply | null {
  const login = link.fixLoginId === null ? undefined : world.context.state.logins[String(link.fixLoginId)]
  if (!login) {
    link.step = 'accounts'
    return null
  }
  login.statusCode = 0
  login.aggregatedAt = nowSeconds(world)
  send(world, link, 'credentialsUpdated', { institutionLoginId: login.id })
  return leave(world, link, { code: '200', reason: 'complete' })
}

function share(world: World, link: Link, roles: readonly string[]): Reply | null {
  const chosen = ROLES.filter(({ role }) => roles.includes(role))
  if (chosen.length === 0 || link.institutionId === null) {
    link.problem = 'accounts'
    return null
  }
  const number = takeNumber(world)
  const names = link.giant ? Array.from({ length: world.giantAccounts }, (_, place) => `G${place}`) : chosen.map(({ role }) => role)
  const login: Login = {
    id: 1_007_000_000 + number,
    customerId: link.customerId,
    institutionId: link.institutionId,
    createdAt: nowSeconds(world),
    aggregatedAt: null,
    statusCode: 0,
    giant: link.giant,
    accounts: names.map((role, place) => ({ id: 6_000_000_000 + number * 20_000 + place, role, changes: {} })),
    entered: [],
  }
  world.context.state.logins[String(login.id)] = login
  const accounts = login.accounts.slice(0, 20).map(({ id }) => ({ id: String(id), institutionLoginId: login.id }))
  send(world, link, 'added', { institutionId: String(login.institutionId), accounts })
  return leave(world, link, { code: '200', reason: 'complete' })
}

function leave(world: World, link: Link, outcome: Record<string, string>): Reply {
  link.step = 'done'
  send(world, link, outcome.code === '200' ? 'done' : 'cancel', {})
  world.context.save()
  if (link.redirectUri === null) return windowReply(200, messagePage(link.language, 'closed'))
  const away = new URL(link.redirectUri)
  for (const [name, value] of Object.entries(outcome)) away.searchParams.set(name, value)
  return seeOtherReply(away.href)
}

function send(world: World, link: Link, eventType: string, payload: object): void {
  const eventId = `${world.context.now().getTime()}-${randomUUID().slice(0, 24)}`
  world.sendEvent(link.webhook, { customerId: link.customerId, eventType, eventId, payload, webhookData: link.webhookData })
}

function problemOf(world: World, link: Link | undefined): 'unknown' | 'expired' | 'closed' | null {
  if (!link) return 'unknown'
  if (link.step === 'done') return 'closed'
  return link.createdAt + LINK_SECONDS <= nowSeconds(world) ? 'expired' : null
}

function addressOf(world: World, link: Link): string {
  return `${world.context.baseUrl()}/data-connect/${link.id}`
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw badField(`${name} is required`)
  return value
}
