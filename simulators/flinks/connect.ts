import { randomUUID } from 'node:crypto'
import type { Call } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { seeOtherReply, windowReply } from '../kit/http/response.ts'
import { takeToken } from './api.ts'
import { ROLES, toGuid } from './book.ts'
import { institutionPage, loginPage, messagePage, questionPage } from './connect-pages.ts'
import { Refusal } from './replies.ts'
import { sessionOf } from './sessions.ts'
import type { Flow, Login } from './state.ts'
import { institutionOf, nowMs, takeNumber, type World } from './world.ts'

const FLOW_MS = 60 * 60_000
const LISTED = 12

/** Flinks Connect: `/v2/` begins, `/v2/flow/…` goes on. */
export function answerConnect(world: World, call: Call): Reply {
  if (call.path === '/v2/') return beginFlow(world, call.query)
  const [, id = '', form] = /^\/v2\/flow\/([\w-]{1,60})(?:\/([a-z]{1,20}))?$/.exec(call.path) ?? []
  const flow = world.context.state.flows[id]
  if (!flow) return windowReply(404, messagePage('en', 'unknown'), true)
  if (flow.step === 'done') return windowReply(410, messagePage(flow.language, 'closed'), true)
  if (flow.createdAt + FLOW_MS <= nowMs(world)) return windowReply(410, messagePage(flow.language, 'expired'), true)
  if (call.method === 'POST' && form !== undefined) return submit(world, flow, form, new URLSearchParams(call.body))
  return show(world, flow, call.query.get('q') ?? '')
}

function beginFlow(world: World, query: URLSearchParams): Reply {
  const language = query.get('language') === 'fr' ? 'fr' : 'en'
  const redirectUrl = query.get('redirectUrl') ?? ''
  try {
    takeToken(world, query.get('authorizeToken'))
    const requestId = query.get('requestId')
    const session = requestId === null ? null : sessionOf(world, requestId)
    if (!URL.canParse(redirectUrl)) throw new Refusal(400, 'INVALID_REQUEST', 'redirectUrl')
    const wanted = Number(query.get('institutionId') ?? Number.NaN)
    const flow: Flow = {
      id: randomUUID(),
      createdAt: nowMs(world),
      language,
      redirectUrl,
      tag: query.get('tag'),
      isScheduled: query.get('scheduleRefresh') === 'true',
      institutionId: institutionOf(world, wanted) ? wanted : null,
      mending: session?.loginId ?? null,
      step: session ? 'question' : institutionOf(world, wanted) ? 'login' : 'institution',
      problem: null,
      username: '',
    }
    world.context.state.flows[flow.id] = flow
    world.context.save()
    return seeOtherReply(addressOf(world, flow))
  } catch (error) {
    if (error instanceof Refusal) return windowReply(403, messagePage(language, 'refused'), true)
    throw error
  }
}

function show(world: World, flow: Flow, wanted: string): Reply {
  const action = addressOf(world, flow)
  const bank = flow.institutionId === null ? null : institutionOf(world, flow.institutionId)
  if (flow.step === 'institution') {
    const found = world.directory
      .filter(({ isEnabled, en, fr }) => isEnabled && plain(`${en} ${fr}`).includes(plain(wanted)))
      .slice(0, LISTED)
    return windowReply(200, institutionPage(flow, action, wanted, found), true)
  }
  if (flow.step === 'login' && bank) return windowReply(200, loginPage(flow, action, flow.language === 'fr' ? bank.fr : bank.en), true)
  return windowReply(200, questionPage(flow, action), true)
}

function submit(world: World, flow: Flow, form: string, values: URLSearchParams): Reply {
  flow.problem = null
  let away: Reply | null = null
  if (form === 'exit') away = leave(world, flow, null)
  else if (form === 'institution' && flow.step === 'institution') {
    const id = Number(values.get('institutionId'))
    if (institutionOf(world, id)) Object.assign(flow, { institutionId: id, step: 'login' })
  } else if (form === 'login' && flow.step === 'login') signIn(flow, values.get('username') ?? '', values.get('password') ?? '')
  else if (form === 'question' && flow.step === 'question') {
    if (plain(values.get('answer') ?? '') === 'montreal') away = finish(world, flow)
    else flow.problem = 'answer'
  }
  world.context.save()
  return away ?? seeOtherReply(addressOf(world, flow))
}

/** The test users of the shared sandbox. Source: https://docs.flinks.com */
function signIn(flow: Flow, username: string, password: string): void {
  flow.username = username
  if (username !== '' && password === 'Everyday') flow.step = 'question'
  else flow.problem = 'credentials'
}

function finish(world: World, flow: Flow): Reply {
  const known = flow.mending === null ? undefined : world.context.state.logins[flow.mending]
  if (known) {
    known.trouble = null
    known.readAt = nowMs(world)
    return leave(world, flow, known)
  }
  const number = takeNumber(world)
  const id = toGuid('flinks-login', number, flow.id)
  const giant = flow.username === 'giant'
  const roles = giant ? Array.from({ length: world.giantAccounts }, (_, place) => `G${place}`) : ROLES
  const login: Login = {
    id,
    institutionId: flow.institutionId ?? 14,
    createdAt: nowMs(world),
    readAt: nowMs(world),
    isScheduled: flow.isScheduled,
    trouble: null,
    tag: flow.tag,
    isBusiness: true,
    giant,
    accounts: flow.username === 'Empty' ? [] : roles.map((role) => ({ id: toGuid('flinks-account', id, role), role, changes: {} })),
    entered: [],
  }
  world.context.state.logins[id] = login
  return leave(world, flow, login)
}

function leave(world: World, flow: Flow, login: Login | null): Reply {
  flow.step = 'done'
  world.context.save()
  const away = new URL(flow.redirectUrl)
  if (login) {
    away.searchParams.set('loginId', login.id)
    away.searchParams.set('institution', institutionOf(world, login.institutionId)?.en ?? '')
    if (flow.tag !== null) away.searchParams.set('tag', flow.tag)
  }
  return seeOtherReply(away.href)
}

function addressOf(world: World, flow: Flow): string {
  return `${world.context.baseUrl()}/v2/flow/${flow.id}`
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
