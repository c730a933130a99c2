import { randomUUID } from 'node:crypto'
import type { Call } from '../../kit/bank-simulator.ts'
import { withoutAccents } from '../../kit/data/institutions.ts'
import { type Reply, seeOtherReply, windowReply } from '../../kit/http/response.ts'
import { LISTED } from '../../kit/pages/bank-window.ts'
import { takeNumber } from '../../kit/state.ts'
import { Refusal } from '../api/replies.ts'
import { takeToken } from '../api/routes.ts'
import { sessionOf } from '../api/sessions.ts'
import { type Context, institutionOf, nowMs } from '../context.ts'
import { ROLES, toGuid } from '../data/accounts.ts'
import type { Flow, Login } from '../state.ts'
import { codePage, institutionPage, loginPage, messagePage } from './pages.ts'

const FLOW_MS = 60 * 60_000

/** Flinks Connect: `/v2/` starts it, `/v2/flow/…` continues. */
export function answerConnect(context: Context, call: Call): Reply {
  if (call.path === '/v2/') return beginFlow(context, call.query)
  const [, id = '', form] = /^\/v2\/flow\/([\w-]{1,60})(?:\/([a-z]{1,20}))?$/.exec(call.path) ?? []
  const flow = context.bank.state.flows[id]
  if (!flow) return windowReply(404, messagePage('en', 'unknown'), true)
  if (flow.step === 'done') return windowReply(410, messagePage(flow.language, 'closed'), true)
  if (flow.createdAt + FLOW_MS <= nowMs(context)) return windowReply(410, messagePage(flow.language, 'expired'), true)
  if (call.method === 'POST' && form !== undefined) return submit(context, flow, form, new URLSearchParams(call.body))
  return show(context, flow, call.query.get('q') ?? '')
}

function beginFlow(context: Context, query: URLSearchParams): Reply {
  const language = query.get('language') === 'fr' ? 'fr' : 'en'
  const redirectUrl = query.get('redirectUrl') ?? ''
  try {
    takeToken(context, query.get('authorizeToken'))
    const requestId = query.get('requestId')
    const session = requestId === null ? null : sessionOf(context, requestId)
    if (!URL.canParse(redirectUrl)) throw new Refusal(400, 'INVALID_REQUEST', 'redirectUrl')
    const wanted = Number(query.get('institutionId') ?? Number.NaN)
    const flow: Flow = {
      id: randomUUID(),
      createdAt: nowMs(context),
      language,
      redirectUrl,
      tag: query.get('tag'),
      isScheduled: query.get('scheduleRefresh') === 'true',
      institutionId: institutionOf(context, wanted) ? wanted : null,
      mending: session?.loginId ?? null,
      step: session ? 'question' : institutionOf(context, wanted) ? 'login' : 'institution',
      problem: null,
      username: '',
    }
    context.bank.state.flows[flow.id] = flow
    context.bank.save()
    return seeOtherReply(addressOf(context, flow))
  } catch (error) {
    if (error instanceof Refusal) return windowReply(403, messagePage(language, 'refused'), true)
    throw error
  }
}

function show(context: Context, flow: Flow, wanted: string): Reply {
  const action = addressOf(context, flow)
  const bank = flow.institutionId === null ? null : institutionOf(context, flow.institutionId)
  if (flow.step === 'institution') {
    const found = context.directory
      .filter(({ isEnabled, en, fr }) => isEnabled && withoutAccents(`${en} ${fr}`).includes(withoutAccents(wanted.trim())))
      .slice(0, LISTED)
    return windowReply(200, institutionPage(flow, action, wanted, found), true)
  }
  if (flow.step === 'login' && bank) return windowReply(200, loginPage(flow, action, flow.language === 'fr' ? bank.fr : bank.en), true)
  return windowReply(200, codePage(flow, action), true)
}

function submit(context: Context, flow: Flow, form: string, values: URLSearchParams): Reply {
  flow.problem = null
  let away: Reply | null = null
  if (form === 'exit') away = leave(context, flow, null)
  else if (form === 'institution' && flow.step === 'institution') {
    const id = Number(values.get('institutionId'))
    if (institutionOf(context, id)) Object.assign(flow, { institutionId: id, step: 'login' })
  } else if (form === 'login' && flow.step === 'login') signIn(flow, values.get('username') ?? '', values.get('password') ?? '')
  else if (form === 'code' && flow.step === 'question') {
    if (withoutAccents((values.get('code') ?? '').trim()) === 'montreal') away = finish(context, flow)
    else flow.problem = 'answer'
  }
  context.bank.save()
  return away ?? seeOtherReply(addressOf(context, flow))
}

/** Test users of the shared sandbox. Source: https://docs.flinks.com */
function signIn(flow: Flow, username: string, password: string): void {
  flow.username = username
  if (username !== '' && password === 'Everyday') flow.step = 'question'
  else flow.problem = 'credentials'
}

function finish(context: Context, flow: Flow): Reply {
  const known = flow.mending === null ? undefined : context.bank.state.logins[flow.mending]
  if (known) {
    known.trouble = null
    known.readAt = nowMs(context)
    return leave(context, flow, known)
  }
  const number = takeNumber(context.bank.state)
  const id = toGuid('flinks-login', number, flow.id)
  const giant = flow.username === 'giant'
  const roles = giant ? Array.from({ length: context.giantAccounts }, (_, place) => `G${place}`) : ROLES
  const login: Login = {
    id,
    institutionId: flow.institutionId ?? 14,
    createdAt: nowMs(context),
    readAt: nowMs(context),
    isScheduled: flow.isScheduled,
    trouble: null,
    tag: flow.tag,
    isBusiness: true,
    giant,
    accounts: flow.username === 'Empty' ? [] : roles.map((role) => ({ id: toGuid('flinks-account', id, role), role, changes: {} })),
    entered: [],
  }
  context.bank.state.logins[id] = login
  return leave(context, flow, login)
}

function leave(context: Context, flow: Flow, login: Login | null): Reply {
  flow.step = 'done'
  context.bank.save()
  const away = new URL(flow.redirectUrl)
  if (login) {
    away.searchParams.set('loginId', login.id)
    away.searchParams.set('institution', institutionOf(context, login.institutionId)?.en ?? '')
    if (flow.tag !== null) away.searchParams.set('tag', flow.tag)
  }
  return seeOtherReply(away.href)
}

function addressOf(context: Context, flow: Flow): string {
  return `${context.bank.baseUrl()}/v2/flow/${flow.id}`
}
