import { jsonReply } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { type Context, nowMs } from '../context.ts'
import { accountView } from '../data/accounts.ts'
import { movementsOf } from '../data/movements.ts'
import type { Login, State } from '../state.ts'
import { Refusal } from './replies.ts'
import { drift } from './schema-drift.ts'
import { loginView, nameOf } from './views.ts'

/** Sessions expire when idle. Source: https://docs.flinks.com/guides/connect/resume-and-reconnect */
const IDLE_MS = 30 * 60_000

export function sessionOf(context: Context, requestId: unknown): State['sessions'][string] {
  const session = typeof requestId === 'string' ? context.bank.state.sessions[requestId] : undefined
  if (!session || session.usedAt + IDLE_MS <= nowMs(context))
    throw new Refusal(401, 'SESSION_NONEXISTENT', 'The session does not exist or has expired')
  session.usedAt = nowMs(context)
  return session
}

/** Answers a listing, or a poll for one in preparation, to which the options of the first call apply. */
export function accountsReply(context: Context, kind: 'detail' | 'summary', body: Record<string, unknown>): Reply {
  const { bank } = context
  if (bank.take('sessionExpired')) throw new Refusal(401, 'SESSION_NONEXISTENT', 'The session does not exist or has expired')
  const session = sessionOf(context, body.RequestId)
  if (!session.isOpen) return jsonReply(203, { HttpStatusCode: 203, SecurityChallenges: [], RequestId: body.RequestId })
  const wishes = Object.keys(body).length > 1 ? body : (session.asked ?? body)
  const login = bank.state.logins[session.loginId]
  if (!login) throw new Refusal(401, 'INVALID_LOGIN', 'The login is not known')
  if (bank.take(kind === 'detail' ? 'pending' : 'pendingSummary')) {
    session.asked = wishes
    return jsonReply(202, {
      FlinksCode: 'OPERATION_PENDING',
      Links: [],
      HttpStatusCode: 202,
      Message: 'Your operation is still processing',
      RequestId: body.RequestId,
    })
  }
  const accounts = bank.take('emptyAccounts') ? [] : viewsOf(context, login, kind, wishes)
  const shown = kind === 'detail' && bank.take('schemaDrift') ? drift(accounts) : accounts
  return jsonReply(200, {
    HttpStatusCode: 200,
    Accounts: shown,
    Login: loginView(login),
    Institution: nameOf(context, login),
    InstitutionId: login.institutionId,
    InstitutionName: nameOf(context, login),
    ...(login.tag === null ? {} : { Tag: login.tag }),
    Links: [],
    RequestId: body.RequestId,
  })
}

/** The reply to a details call, as delivered by webhook. */
export function webhookBody(context: Context, login: Login, responseType: string): Record<string, unknown> {
  const Accounts = responseType === 'KYC' ? [] : viewsOf(context, login, 'detail', { WithTransactions: true })
  const institution = { InstitutionId: login.institutionId, InstitutionName: nameOf(context, login) }
  return { ResponseType: responseType, HttpStatusCode: 200, Accounts, Login: loginView(login), ...institution, Tag: login.tag }
}

function viewsOf(context: Context, login: Login, kind: 'detail' | 'summary', wishes: Record<string, unknown>): Record<string, unknown>[] {
  const wanted = Array.isArray(wishes.AccountsFilter) && wishes.AccountsFilter.length > 0 ? wishes.AccountsFilter : null
  const days = Math.min(context.historyDays, wishes.DaysOfTransactions === 'Days365' ? 365 : 90)
  return login.accounts
    .filter(({ id }) => wanted === null || wanted.includes(id))
    .map((account) => {
      const view = accountView(login, account)
      if (kind === 'summary' || wishes.WithTransactions === false) return view
      return { ...view, Transactions: movementsOf(login, account, days, nowMs(context)) }
    })
}
