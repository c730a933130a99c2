import { fetchWatched } from './availability.ts'
import type { LoginResponse, ProveIdentityResponse, ProviderLogout, SignInOption } from './generated/types.ts'
import type { PasskeyAnswer } from './passkeys.ts'
import { Problem, toProblem } from './problem.ts'
import { settleProof } from './proof.ts'
import { createSignal } from './signal.ts'

/** Base path of the API's operations. */
export const API = '/admin/api/v1'

/** Storage key that marks that a refresh cookie may exist; it holds no secret. */
const HINT = 'portal-session'
/** The access token is renewed this long before it expires. */
const MARGIN_MS = 60_000

/** Access token: kept in memory only. The refresh token is in a cookie that scripts cannot read. */
let token: { text: string; endsAtMs: number; isSetUpOnly: boolean } | null = null
let renewing: Promise<string | null> | null = null
const session = createSignal()

export function isSignedIn(): boolean {
  return token !== null
}

/** Whether the session opens nothing but the set-up of two-step sign-in, which the instance requires. */
export function isSetUpOnly(): boolean {
  return token?.isSetUpOnly ?? false
}

/** Subscribes to sign-in and sign-out. */
export const onSession = session.subscribe

/** Signs in; returns the challenge of the second step, or null when the password was enough. */
export async function signIn(email: string, password: string): Promise<string | null> {
  const answer = await post<LoginResponse>('/auth/login', { email, password, keep: 'cookie' })
  if (answer.twoStepVerify) return answer.access_token
  keep(answer.access_token)
  return null
}

export async function completeSignIn(challenge: string, proof: SecondStep): Promise<void> {
  keep((await post<LoginResponse>('/auth/two-step', { ...proof, keep: 'cookie' }, challenge)).access_token)
}

/** Second step: a code of six digits, a recovery code, or a passkey. */
export type SecondStep = { code: string } | { recoveryCode: string } | { passkey: PasskeyAnswer }

/** What a user types as a second step. */
export function toSecondStep(typed: string): { code: string } | { recoveryCode: string } {
  const code = typed.replaceAll(' ', '')
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: typed.trim() }
}

export type GivenProof = { password?: string; code?: string; recoveryCode?: string; passkey?: PasskeyAnswer }

/** Proves again who the user is; throws a `Problem`. */
export async function prove(given: GivenProof): Promise<void> {
  const text = await currentToken()
  if (text === null) throw new Problem(401, 'The session is over.')
  keep((await post<ProveIdentityResponse>('/auth/proof', given, text)).access_token)
}

/** Where a sign-in with an identity provider begins, if the account has one. */
export async function findSignIn(account: string): Promise<SignInOption> {
  return await post<SignInOption>('/auth/provider', { account })
}

/** Sign-in with an identity provider that another site has begun, and that goes on when the person wants it. */
export interface PendingSignIn {
  instanceId: string
  loginHint: string | null
}

/** What arrives in the fragment from a sign-in with an identity provider. */
export interface Arrival {
  /** Code of a failure. After a success there is a refresh cookie. */
  failure: string | null
  wanted: PendingSignIn | null
}

export function takeArrival(): Arrival {
  const given = new URLSearchParams(location.hash.slice(1))
  const [failure, instanceId] = [given.get('sign-in-failed'), given.get('sign-in-at')]
  if (given.has('signed-in')) localStorage.setItem(HINT, 'yes')
  if (given.has('signed-in') || failure !== null || instanceId !== null)
    history.replaceState(null, '', `${location.pathname}${location.search}`)
  return { failure, wanted: instanceId === null ? null : { instanceId, loginHint: given.get('login_hint') } }
}

/**
 * Forgets the session and all data in this browser in any case; throws when the service could not be told. A session of
 * an identity provider ends there, too, on a page of its own.
 */
export async function signOut(): Promise<void> {
  let there: ProviderLogout | null = null
  try {
    const text = await currentToken()
    if (text !== null) there = await post<ProviderLogout | null>('/auth/logout', {}, text)
  } finally {
    forget()
  }
  if (there) location.assign(there.address)
}

/** Valid access token, renewed if it is about to expire; null when nobody is signed in. */
export async function currentToken(): Promise<string | null> {
  if (token !== null && token.endsAtMs - Date.now() > MARGIN_MS) return token.text
  if (token === null && localStorage.getItem(HINT) === null) return null
  return await renew()
}

/** Renews the access token; concurrent callers share one request. */
export function renew(): Promise<string | null> {
  renewing ??= renewOnce().finally(() => {
    renewing = null
  })
  return renewing
}

async function renewOnce(): Promise<string | null> {
  try {
    const answer = await post<LoginResponse>('/auth/refresh', {})
    keep(answer.access_token)
    return answer.access_token
  } catch (error) {
    const isOver = error instanceof Problem && (error.status === 400 || error.status === 401)
    if (!isOver) throw error
    forget()
    return null
  }
}

function keep(text: string): void {
  token = { text, ...readClaims(text) }
  localStorage.setItem(HINT, 'yes')
  session.notify()
}

function forget(): void {
  // What waits for a proof was asked for by this session: whoever signs in next must not confirm it.
  settleProof(false)
  token = null
  localStorage.removeItem(HINT)
  session.notify()
}

/** Source: https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function readClaims(text: string): { endsAtMs: number; isSetUpOnly: boolean } {
  const [, claims = ''] = text.split('.')
  const decoded: unknown = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
  const known: Record<string, unknown> = typeof decoded === 'object' && decoded !== null ? { ...decoded } : {}
  return { endsAtMs: typeof known.exp === 'number' ? known.exp * 1000 : 0, isSetUpOnly: known.two_step_setup === true }
}

export async function post<Answer>(path: string, body: unknown, bearer?: string): Promise<Answer> {
  const response = await fetchWatched(`${API}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw new Problem(0, String(error))
  })
  if (!response.ok) throw await toProblem(response)
  return response.status === 204 ? (null as Answer) : await response.json()
}
