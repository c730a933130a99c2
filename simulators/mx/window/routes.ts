import { randomUUID } from 'node:crypto'
import { withoutAccents } from '../../kit/data/institutions.ts'
import { frameReply, type Reply } from '../../kit/http/response.ts'
import { LISTED } from '../../kit/pages/bank-window.ts'
import type { Context } from '../context.ts'
import { connectMember, createMember, setStatus } from '../data/aggregation.ts'
import type { WidgetSession } from '../state.ts'
import { codePage, donePage, expiredPage, institutionPage, loginPage } from './pages.ts'

const LIFE_MS = 600_000

/** Creates a widget address that can be opened once, within ten minutes. */
export function openSession(
  context: Context,
  wanted: Pick<WidgetSession, 'userGuid' | 'language' | 'payload' | 'institutionCode' | 'memberGuid'>,
): WidgetSession {
  const session: WidgetSession = {
    token: randomUUID(),
    ...wanted,
    expiresAt: context.nowMs() + LIFE_MS,
    isOpened: false,
    step: wanted.institutionCode === null ? 'institution' : 'login',
    problem: null,
  }
  context.state.sessions[session.token] = session
  context.save()
  return session
}

/** Shows the first page, or the page that follows a posted form. */
export function showWidget(context: Context, token: string, form: URLSearchParams | null, query: URLSearchParams): Reply {
  const session = context.state.sessions[token]
  const isSearch = query.has('q')
  if (!session || (form === null && !isSearch && (session.isOpened || session.expiresAt <= context.nowMs()))) {
    return frameReply(410, expiredPage(session?.language ?? 'en'))
  }
  session.isOpened = true
  session.problem = null
  if (form !== null) submit(context, session, form)
  context.save()
  return frameReply(200, pageOf(context, session, query.get('q') ?? ''))
}

function submit(context: Context, session: WidgetSession, form: URLSearchParams): void {
  if (session.step === 'institution') {
    const code = form.get('institution_code')
    if (context.directory.every((bank) => bank.code !== code)) return
    session.institutionCode = code
    session.step = 'login'
  } else if (session.step === 'login') signIn(context, session, form.get('password') ?? '')
  else if (session.step === 'code') {
    if (form.get('code') === 'correct') connect(context, session)
    else session.problem = 'code'
  }
}

function signIn(context: Context, session: WidgetSession, password: string): void {
  const bank = context.directory.find(({ code }) => code === session.institutionCode)
  if (!bank) return
  const member =
    (session.memberGuid === null ? null : context.state.members[session.memberGuid]) ?? createMember(context, session.userGuid, bank)
  session.memberGuid = member.guid
  if (password === 'INVALID') {
    session.problem = 'credentials'
    setStatus(context, member, 'DENIED')
  } else if (password === 'challenge') {
    session.step = 'code'
    setStatus(context, member, 'CHALLENGED')
  } else connect(context, session)
}

function connect(context: Context, session: WidgetSession): void {
  const member = session.memberGuid === null ? undefined : context.state.members[session.memberGuid]
  if (!member) return
  session.step = 'done'
  connectMember(context, member, session.payload)
}

function pageOf(context: Context, session: WidgetSession, wanted: string): string {
  const bank = context.directory.find(({ code }) => code === session.institutionCode)
  if (session.step === 'institution' || !bank) {
    const found = context.directory.filter(
      ({ name, isHidden, isDisabled }) => withoutAccents(name).includes(withoutAccents(wanted)) && !isHidden && !isDisabled,
    )
    return institutionPage(session, wanted, found.slice(0, LISTED))
  }
  if (session.step === 'login') return loginPage(session, bank.name)
  return session.step === 'code' ? codePage(session) : donePage(session, bank.name)
}
