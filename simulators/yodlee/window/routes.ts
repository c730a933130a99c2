import { randomUUID } from 'node:crypto'
import { withoutAccents } from '../../kit/data/institutions.ts'
import { frameReply, type Reply } from '../../kit/http/response.ts'
import { LISTED } from '../../kit/pages/bank-window.ts'
import { userOf } from '../api/routes.ts'
import type { Context } from '../context.ts'
import { createProviderAccount, fail, succeed } from '../data/refresh.ts'
import { bankPage, codePage, donePage, expiredPage, loginPage } from './pages.ts'
import type { Session } from './session.ts'

const LIFE_MS = 120 * 60_000

/** Opens FastLink from the form that its script posts into the frame. */
export function launch(context: Context, sessions: Map<string, Session>, form: URLSearchParams): Reply {
  const user = userOf(context, (form.get('accessToken') ?? '').replace(/^Bearer /, ''))
  const params = new URLSearchParams(form.get('extraParams') ?? '')
  if ('status' in user || !params.get('configName')) return frameReply(403, expiredPage('en'))
  const edited = params.get('flow') === 'edit' ? context.state.providerAccounts[params.get('providerAccountId') ?? ''] : undefined
  const wanted = params.get('flow') === 'add' ? Number(params.get('providerId')) : null
  const session: Session = {
    id: randomUUID(),
    loginName: user.loginName,
    language: user.locale.startsWith('fr') ? 'fr' : 'en',
    providerId: edited?.loginName === user.loginName ? edited.providerId : wanted,
    providerAccountId: edited?.loginName === user.loginName ? edited.id : null,
    step: edited || wanted ? 'login' : 'bank',
    problem: null,
    linked: [],
    expiresAt: context.nowMs() + LIFE_MS,
  }
  sessions.set(session.id, session)
  return frameReply(200, pageOf(context, session, ''))
}

/** Handles a posted form of a session. */
export function submitStep(context: Context, sessions: Map<string, Session>, id: string, form: URLSearchParams): Reply {
  const session = sessions.get(id)
  if (!session || session.expiresAt <= context.nowMs()) return frameReply(410, expiredPage(session?.language ?? 'en'))
  session.problem = null
  const choice = form.get('providerId')
  if (form.has('another')) Object.assign(session, { step: 'bank', providerId: null, providerAccountId: null })
  else if (session.step === 'bank' && choice !== null) {
    session.providerId = Number(choice)
    session.step = 'login'
  } else if (session.step === 'login') signIn(context, session, form.get('password') ?? '')
  else if (session.step === 'code') {
    if (form.get('code') === '123456') linkUp(context, session)
    else session.problem = 'code'
  }
  return frameReply(200, pageOf(context, session, form.get('q') ?? ''))
}

function signIn(context: Context, session: Session, password: string): void {
  const bank = context.directory.find(({ id }) => id === session.providerId)
  if (!bank) return
  const account = context.state.providerAccounts[session.providerAccountId ?? ''] ?? createProviderAccount(context, session.loginName, bank)
  session.providerAccountId = account.id
  if (password === 'mfa') {
    session.step = 'code'
    fail(context, account, 'ADDL_AUTHENTICATION_REQUIRED', 'USER_INPUT_REQUIRED')
  } else if (password === 'wrong') {
    session.problem = 'credentials'
    fail(context, account, 'INCORRECT_CREDENTIALS')
  } else linkUp(context, session)
}

function linkUp(context: Context, session: Session): void {
  const account = context.state.providerAccounts[session.providerAccountId ?? '']
  if (!account) return
  succeed(context, account, context.nowMs(), true)
  session.linked.push(account.id)
  session.step = 'done'
}

function pageOf(context: Context, session: Session, wanted: string): string {
  const bank = context.directory.find(({ id }) => id === session.providerId)
  if (session.step === 'bank' || !bank) {
    const found = context.directory.filter(
      ({ name, status }) => withoutAccents(name).includes(withoutAccents(wanted)) && status !== 'Unsupported',
    )
    return bankPage(session, wanted, found.slice(0, LISTED))
  }
  if (session.step === 'login') return loginPage(session, bank.name)
  return session.step === 'code' ? codePage(session) : donePage(session, bank)
}
