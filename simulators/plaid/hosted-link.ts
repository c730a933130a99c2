import { randomUUID } from 'node:crypto'
import { type Reply, seeOtherReply, windowReply } from '../kit/http/response.ts'
import { offerAccounts } from './book.ts'
import { findByName } from './directory-operations.ts'
import { accountsPage, closedPage, codePage, expiredPage, institutionPage, loginPage, successPage, unknownPage } from './hosted-pages.ts'
import { createItem, repairItem } from './items.ts'
import type { AccountRole, LinkSession, LinkToken } from './state.ts'
import type { World } from './world.ts'

const LISTED = 12

/** Shows the step at which the owner's session stands; a link that was finished starts a new session. */
export function showHostedPage(world: World, pageId: string, query: URLSearchParams): Reply {
  const token = findToken(world, pageId)
  if (!token) return windowReply(404, unknownPage())
  const last = token.sessions.at(-1)
  if (last && last.outcome !== 'open' && token.completionRedirectUri === null) return windowReply(200, closedPage(token))
  if (isExpired(world, token)) return windowReply(410, expiredPage(token))
  const session = openSession(world, token)
  const action = addressOf(world, token)
  const bank = session.institutionId === null ? null : world.institution(session.institutionId)
  if (session.step === 'institution' || !bank) {
    const wanted = query.get('q') ?? ''
    const found = findByName(world, wanted)
      .filter((entry) => token.countryCodes.includes(entry.country) && token.products.every((product) => entry.products.includes(product)))
      .slice(0, LISTED)
    return windowReply(200, institutionPage(token, action, wanted, found))
  }
  if (session.step === 'login') return windowReply(200, loginPage(token, session, action, bank.name))
  if (session.step === 'code') return windowReply(200, codePage(token, session, action))
  if (session.step === 'accounts') {
    return windowReply(200, accountsPage(token, session, action, bank.name, offerAccounts(world.seed, bank)))
  }
  return windowReply(200, successPage(token, action))
}

/** Takes one posted form and answers where the browser goes next. */
export function submitHostedForm(world: World, pageId: string, form: string, values: URLSearchParams): Reply {
  const token = findToken(world, pageId)
  if (!token) return windowReply(404, unknownPage())
  if (isExpired(world, token)) return windowReply(410, expiredPage(token))
  const session = openSession(world, token)
  session.problem = null
  if (form === 'exit') return finish(world, token, session, 'exited')
  if (form === 'institution' && session.step === 'institution') chooseInstitution(world, session, values.get('institution_id'))
  else if (form === 'login' && session.step === 'login') signIn(world, token, session, values.get('username'), values.get('password'))
  else if (form === 'code' && session.step === 'code') enterCode(world, token, session, values.get('code'))
  else if (form === 'accounts' && session.step === 'accounts') chooseAccounts(world, token, session, values.getAll('account'))
  else if (form === 'finish' && session.step === 'success') return finish(world, token, session, 'success')
  world.save()
  return seeOtherReply(addressOf(world, token))
}

function chooseInstitution(world: World, session: LinkSession, id: string | null): void {
  if (id === null || !world.institution(id)) return
  session.institutionId = id
  session.step = 'login'
}

function signIn(world: World, token: LinkToken, session: LinkSession, username: string | null, password: string | null): void {
  if (username === 'user_good' && password === 'pass_good') afterLogin(world, token, session)
  else if (username === 'user_good' && password === 'mfa_device') session.step = 'code'
  else session.problem = 'credentials'
}

function enterCode(world: World, token: LinkToken, session: LinkSession, code: string | null): void {
  if (code === '1234') afterLogin(world, token, session)
  else session.problem = 'code'
}

function afterLogin(world: World, token: LinkToken, session: LinkSession): void {
  const item = token.updateItemId === null ? undefined : world.state.items[token.updateItemId]
  session.step = item ? 'success' : 'accounts'
  if (item) repairItem(world, item)
}

function chooseAccounts(world: World, token: LinkToken, session: LinkSession, chosen: readonly string[]): void {
  const bank = session.institutionId === null ? null : world.institution(session.institutionId)
  if (!bank) return
  const roles: AccountRole[] = offerAccounts(world.seed, bank)
    .map((account) => account.role)
    .filter((role) => chosen.includes(role))
  if (roles.length === 0) {
    session.problem = 'accounts'
    return
  }
  const { item, publicToken } = createItem(world, {
    institutionId: bank.id,
    roles,
    products: [...token.products, ...token.optionalProducts],
    daysRequested: token.daysRequested,
    webhook: token.webhook,
    clientUserId: token.clientUserId,
  })
  session.itemId = item.itemId
  session.publicToken = publicToken
  session.step = 'success'
  world.send(token.webhook, { ...linkWebhook(token, session, 'ITEM_ADD_RESULT'), public_token: publicToken })
}

function finish(world: World, token: LinkToken, session: LinkSession, outcome: 'success' | 'exited'): Reply {
  session.outcome = outcome
  session.finishedAt = world.nowMs()
  world.save()
  world.send(token.webhook, {
    ...linkWebhook(token, session, 'SESSION_FINISHED'),
    status: outcome === 'success' ? 'SUCCESS' : 'EXITED',
    public_tokens: session.publicToken === null ? [] : [session.publicToken],
  })
  return seeOtherReply(token.completionRedirectUri ?? addressOf(world, token))
}

function linkWebhook(token: LinkToken, session: LinkSession, code: string): Record<string, unknown> {
  return { webhook_type: 'LINK', webhook_code: code, link_session_id: session.id, link_token: token.token, environment: 'sandbox' }
}

function openSession(world: World, token: LinkToken): LinkSession {
  const last = token.sessions.at(-1)
  if (last && last.outcome === 'open') return last
  const session: LinkSession = {
    id: randomUUID(),
    startedAt: world.nowMs(),
    finishedAt: null,
    outcome: 'open',
    step: token.institutionId === null ? 'institution' : 'login',
    problem: null,
    institutionId: token.institutionId,
    itemId: null,
    publicToken: null,
  }
  token.sessions.push(session)
  world.save()
  return session
}

function findToken(world: World, pageId: string): LinkToken | undefined {
  return Object.values(world.state.linkTokens).find((token) => token.pageId === pageId)
}

function isExpired(world: World, token: LinkToken): boolean {
  return token.expiresAt <= world.nowMs() && token.sessions.at(-1)?.outcome !== 'open'
}

function addressOf(world: World, token: LinkToken): string {
  return `${world.baseUrl()}/hosted/${token.pageId}`
}
