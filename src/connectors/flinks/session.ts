import { type Kit, SourceError } from '../contract/contract.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { type Answer, askFlinks, callFlinks, FlinksError } from './request.ts'
import { AuthorizeAnswer, TokenAnswer } from './wire.ts'

/** Token for opening one session; valid for half an hour, works once. */
export async function fetchToken(kit: Kit): Promise<string> {
  return (await askFlinks(kit, { method: 'POST', path: '/GenerateAuthorizeToken', auth: 'keys', body: {} }, TokenAnswer)).Token
}

/**
 * Opens a session. `cached` reads Flinks' stored data; otherwise the bank is queried, which may have a question for the
 * owner: then the status is 203.
 * Source: https://docs.flinks.com/api/authorize/endpoints/authorize
 */
export async function authorize(
  kit: Kit,
  loginId: string,
  wish: { isCached: boolean; timeoutMs?: number },
): Promise<{ status: Answer['status']; session: AuthorizeAnswer }> {
  const token = await fetchToken(kit)
  const body = { LoginId: loginId, MostRecentCached: wish.isCached }
  const { timeoutMs } = wish
  const call = { method: 'POST', path: '/Authorize', auth: { token }, body, ...(timeoutMs === undefined ? {} : { timeoutMs }) } as const
  const { status, json } = await callFlinks(kit, call)
  return { status, session: checkEnvelope(AuthorizeAnswer, json, '/Authorize') }
}

/** Session on Flinks' stored data, which needs no owner; a question of the bank means that the login is broken. */
export async function openSession(kit: Kit, loginId: string): Promise<AuthorizeAnswer> {
  const { status, session } = await authorize(kit, loginId, { isCached: true })
  if (status === 203) throw new SourceError('reconnect', 'Flinks /Authorize: the bank asks the owner a question', { reason: 'codeNeeded' })
  if (status === 202) throw new SourceError('rateLimited', 'Flinks /Authorize: the login is still being read', { retryAfterMs: POLL_MS })
  return session
}

/**
 * Poll interval and duration that Flinks prescribes for a response in preparation.
 * Source: the guide of GetAccountsDetailAsync
 */
const POLL_MS = 10_000
const MAX_PREPARATION_MS = 30 * 60_000
/** Sessions of one page before the run is given back. */
const MAX_SESSIONS = 3

/** State of a page with slow responses; kept in the cursor, so that a later job continues polling. */
export interface Slow {
  requestId: string
  /** Time of the pending request, in milliseconds; null when none is pending. */
  since: number | null
  /** Sessions opened for this page. */
  sessions: number
}

export interface SlowCall {
  path: '/GetAccountsDetail' | '/GetAccountsSummary'
  body: { [name: string]: string | boolean | string[] }
  maxBytes: number
}

/**
 * Requests data that Flinks has to prepare, or polls again. Returns null while it is in preparation, and `slow` holds
 * the start; the caller postpones the run with it. Throws `rateLimited` if an earlier request is not ready yet.
 */
export async function askSlowly(kit: Kit, loginId: string, slow: Slow, call: SlowCall): Promise<Answer | null> {
  try {
    const { since, requestId } = slow
    const { path, body, maxBytes } = call
    const answer =
      since === null
        ? await callFlinks(kit, { method: 'POST', path, body: { RequestId: requestId, ...body }, maxBytes })
        : await callFlinks(kit, { path: `${path}Async/*`, id: requestId, maxBytes })
    if (answer.status === 203)
      throw new SourceError('reconnect', `Flinks ${path}: the bank asks the owner a question`, { reason: 'codeNeeded' })
    if (answer.status === 200) {
      slow.since = null
      return answer
    }
    const now = kit.now().getTime()
    if (since === null) {
      slow.since = now
      return null
    }
    if (now - since > MAX_PREPARATION_MS) throw new SourceError('unavailable', `Flinks ${path}: not ready after half an hour`)
    throw new SourceError('rateLimited', `Flinks ${path}: the answer is being prepared`, { retryAfterMs: POLL_MS })
  } catch (error) {
    if (!(error instanceof FlinksError) || !error.isSessionGone || slow.sessions >= MAX_SESSIONS) throw error
    const { RequestId } = await openSession(kit, loginId)
    Object.assign(slow, { requestId: RequestId, since: null, sessions: slow.sessions + 1 })
    return await askSlowly(kit, loginId, slow, call)
  }
}
