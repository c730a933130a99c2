import { randomUUID } from 'node:crypto'
import { htmlReply, type Reply } from '../kit/http/response.ts'
import { connectMember, createMember, setStatus } from './aggregation.ts'
import type { WidgetSession } from './state.ts'
import { codePage, donePage, expiredPage, institutionPage, loginPage } from './widget-pages.ts'
import type { World } from './world.ts'

const LIFE_MS = 600_000
const LISTED = 12

/** An address of the widget: good once, for ten minutes. */
export function openSession(
  world: World,
  wanted: Pick<WidgetSession, 'userGuid' | 'language' | 'payload' | 'institutionCode' | 'memberGuid'>,
): WidgetSession {
  const session: WidgetSession = {
    token: randomUUID(),
    ...wanted,
    expiresAt: world.nowMs() + LIFE_MS,
    isOpened: false,
    step: wanted.institutionCode === null ? 'institution' : 'login',
    problem: null,
  }
  world.state.sessions[session.token] = session
  world.save()
  return session
}

/** Shows the first page, or what a posted form leads to. */
export function showWidget(world: World, token: string, form: URLSearchParams | null, query: URLSearchParams): Reply {
  const session = world.state.sessions[token]
  const isSearch = query.has('q')
  if (!session || (form === null && !isSearch && (session.isOpened || session.expiresAt <= world.nowMs()))) {
    return frameReply(410, expiredPage(session?.language ?? 'en'))
  }
  session.isOpened = true
  session.problem = null
  if (form !== null) submit(world, session, form)
  world.save()
  return frameReply(200, pageOf(world, session, query.get('q') ?? ''))
}

function submit(world: World, session: WidgetSession, form: URLSearchParams): void {
  if (session.step === 'institution') {
    const code = form.get('institution_code')
    if (world.directory.every((bank) => bank.code !== code)) return
    session.institutionCode = code
    session.step = 'login'
  } else if (session.step === 'login') signIn(world, session, form.get('password') ?? '')
  else if (session.step === 'code') {
    if (form.get('code') === 'correct') connect(world, session)
    else session.problem = 'code'
  }
}

function signIn(world: World, session: WidgetSession, password: string): void {
  const bank = world.directory.find(({ code }) => code === session.institutionCode)
  if (!bank) return
  const member =
    (session.memberGuid === null ? null : world.state.members[session.memberGuid]) ?? createMember(world, session.userGuid, bank)
  session.memberGuid = member.guid
  if (password === 'INVALID') {
    session.problem = 'credentials'
    setStatus(world, member, 'DENIED')
  } else if (password === 'challenge') {
    session.step = 'code'
    setStatus(world, member, 'CHALLENGED')
  } else connect(world, session)
}

function connect(world: World, session: WidgetSession): void {
  const member = session.memberGuid === null ? undefined : world.state.members[session.memberGuid]
  if (!member) return
  session.step = 'done'
  connectMember(world, member, session.payload)
}

function pageOf(world: World, session: WidgetSession, wanted: string): string {
  const bank = world.directory.find(({ code }) => code === session.institutionCode)
  if (session.step === 'institution' || !bank) {
    const found = world.directory.filter(({ name, isHidden, isDisabled }) => fold(name).includes(fold(wanted)) && !isHidden && !isDisabled)
    return institutionPage(session, wanted, found.slice(0, LISTED))
  }
  if (session.step === 'login') return loginPage(session, bank.name)
  return session.step === 'code' ? codePage(session) : donePage(session, bank.name)
}

/** Pages of the widget stand in a frame on another's page; the last one posts a message to it. */
function frameReply(status: number, body: string): Reply {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"
  return { ...htmlReply(status, body), headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } }
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
