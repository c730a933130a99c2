import { randomUUID } from 'node:crypto'
import { type Reply, seeOtherReply, windowReply } from '../../kit/http/response.ts'
import { LISTED } from '../../kit/pages/bank-window.ts'
import { findByName } from '../api/institutions.ts'
import type { Context } from '../context.ts'
import { offerAccounts } from '../data/accounts.ts'
import { createItem, repairItem } from '../data/items.ts'
import type { AccountRole, LinkSession, LinkToken } from '../state.ts'
import { accountsPage, codePage, expiredPage, institutionPage, loginPage, messagePage, successPage } from './pages.ts'

/** Shows the current step of the owner's session; opening a finished link starts a new session. */
export function showHostedPage(context: Context, pageId: string, query: URLSearchParams): Reply {
  const token = findToken(context, pageId)
  if (!token) return windowReply(404, messagePage('en', 'unknown'))
  const last = token.sessions.at(-1)
  if (last && last.outcome !== 'open' && token.completionRedirectUri === null)
    return windowReply(200, messagePage(token.language, 'closed'))
  if (isExpired(context, token)) return windowReply(410, expiredPage(token))
  const session = openSession(context, token)
  const action = addressOf(context, token)
  const bank = session.institutionId === null ? null : context.institution(session.institutionId)
  if (session.step === 'institution' || !bank) {
    const wanted = query.get('q') ?? ''
    const found = findByName(context, wanted)
      .filter((entry) => token.countryCodes.includes(entry.country) && token.products.every((product) => entry.products.includes(product)))
      .slice(0, LISTED)
    return windowReply(200, institutionPage(token, action, wanted, found))
  }
  if (session.step === 'login') return windowReply(200, loginPage(token, session, action, bank.name))
  if (session.step === 'code') return windowReply(200, codePage(token, session, action))
  if (session.step === 'accounts') {
    return windowReply(200, accountsPage(token, session, action, bank.name, offerAccounts(context.seed, bank)))
  }
  return windowReply(200, successPage(token, action))
}

/** Handles a posted form and redirects the browser to the next page. */
export function submitHostedForm(context: Context, pageId: string, form: string, values: URLSearchParams): Reply {
  const token = findToken(context, pageId)
  if (!token) return windowReply(404, messagePage('en', 'unknown'))
  if (isExpired(context, token)) return windowReply(410, expiredPage(token))
  const session = openSession(context, token)
  session.problem = null
  if (form === 'exit') return finish(context, token, session, 'exited')
  if (form === 'institution' && session.step === 'institution') chooseInstitution(context, session, values.get('institution_id'))
  else if (form === 'login' && session.step === 'login') signIn(context, token, session, values.get('username'), values.get('password'))
  else if (form === 'code' && session.step === 'code') enterCode(context, token, session, values.get('code'))
  else if (form === 'accounts' && session.step === 'accounts') chooseAccounts(context, token, session, values.getAll('account'))
  else if (form === 'finish' && session.step === 'success') return finish(context, token, session, 'success')
  context.save()
  return seeOtherReply(addressOf(context, token))
}

function chooseInstitution(context: Context, session: LinkSession, id: string | null): void {
  if (id === null || !context.institution(id)) return
  session.institutionId = id
  session.step = 'login'
}

function signIn(context: Context, token: LinkToken, session: LinkSession, username: string | null, password: string | null): void {
  if (username === 'user_good' && password === 'pass_good') afterLogin(context, token, session)
  else if (username === 'user_good' && password === 'mfa_device') session.step = 'code'
  else session.problem = 'credentials'
}

function enterCode(context: Context, token: LinkToken, session: LinkSession, code: string | null): void {
  if (code === '1234') afterLogin(context, token, session)
  else session.problem = 'code'
}

function afterLogin(context: Context, token: LinkToken, session: LinkSession): void {
  const item = token.updateItemId === null ? undefined : context.state.items[token.updateItemId]
  session.step = item ? 'success' : 'accounts'
  if (item) repairItem(context, item)
}

function chooseAccounts(context: Context, token: LinkToken, session: LinkSession, chosen: readonly string[]): void {
  const bank = session.institutionId === null ? null : context.institution(session.institutionId)
  if (!bank) return
  const roles: AccountRole[] = offerAccounts(context.seed, bank)
    .map((account) => account.role)
    .filter((role) => chosen.includes(role))
  if (roles.length === 0) {
    session.problem = 'accounts'
    return
  }
  const { item, publicToken } = createItem(context, {
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
  context.send(token.webhook, { ...linkWebhook(token, session, 'ITEM_ADD_RESULT'), public_token: publicToken })
}

function finish(context: Context, token: LinkToken, session: LinkSession, outcome: 'success' | 'exited'): Reply {
  session.outcome = outcome
  session.finishedAt = context.nowMs()
  context.save()
  context.send(token.webhook, {
    ...linkWebhook(token, session, 'SESSION_FINISHED'),
    status: outcome === 'success' ? 'SUCCESS' : 'EXITED',
    public_tokens: session.publicToken === null ? [] : [session.publicToken],
  })
  return seeOtherReply(token.completionRedirectUri ?? addressOf(context, token))
}

function linkWebhook(token: LinkToken, session: LinkSession, code: string): Record<string, unknown> {
  return { webhook_type: 'LINK', webhook_code: code, link_session_id: session.id, link_token: token.token, environment: 'sandbox' }
}

function openSession(context: Context, token: LinkToken): LinkSession {
  const last = token.sessions.at(-1)
  if (last && last.outcome === 'open') return last
  const session: LinkSession = {
    id: randomUUID(),
    startedAt: context.nowMs(),
    finishedAt: null,
    outcome: 'open',
    step: token.institutionId === null ? 'institution' : 'login',
    problem: null,
    institutionId: token.institutionId,
    itemId: null,
    publicToken: null,
  }
  token.sessions.push(session)
  context.save()
  return session
}

function findToken(context: Context, pageId: string): LinkToken | undefined {
  return Object.values(context.state.linkTokens).find((token) => token.pageId === pageId)
}

function isExpired(context: Context, token: LinkToken): boolean {
  return token.expiresAt <= context.nowMs() && token.sessions.at(-1)?.outcome !== 'open'
}

function addressOf(context: Context, token: LinkToken): string {
  return `${context.baseUrl()}/hosted/${token.pageId}`
}
