import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { parseInstant } from '../../model/values/timestamps.ts'
import { InputRefused, type RedirectAuthorization, type RedirectRequest } from '../contract/authorization.ts'
import { type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { callFlinks, FlinksError } from './request.ts'
import { type FlinksSecret, readSecret, toCredentials } from './secret.ts'
import { authorize, fetchToken } from './session.ts'
import { AccountsAnswer, type AuthorizeAnswer } from './wire.ts'

const LANGUAGES: Record<Locale, string> = { en: 'en', 'fr-CA': 'fr' }
/** Timeout of a live call to the bank, while the owner waits. */
const LIVE_MS = 45_000
/** Tolerance for Flinks' clock being behind ours. */
const SLACK_MS = 10 * 60_000
/** Maximum polls for the accounts of a login that is being read, while the owner waits. */
const LOOKS = 4
const LOOK_MS = 1_500

const NOTHING_AUTHORIZED: LocalizedText = {
  en: 'No bank was connected, because nothing was authorized in Flinks. You can try again.',
  'fr-CA': 'Aucune banque n’a été connectée, car rien n’a été autorisé dans Flinks. Vous pouvez réessayer.',
}
const NO_ACCOUNTS: LocalizedText = {
  en: 'No bank was connected, because this sign-in opens no account. You can try again with another one.',
  'fr-CA':
    'Aucune banque n’a été connectée, car cette ouverture de session ne donne accès à aucun compte. Vous pouvez réessayer avec une autre.',
}
const NOT_RENEWED: LocalizedText = {
  en: 'The connection to your bank was not renewed, because the sign-in in Flinks was not completed. You can try again.',
  'fr-CA':
    'La connexion à votre banque n’a pas été renouvelée, car l’ouverture de session dans Flinks n’a pas été terminée. Vous pouvez réessayer.',
}

interface Memo {
  /** Tag that Flinks returns with the login created for us. */
  tag: string
  startedAt: number
  /** Login under repair. */
  mending: string | null
}

/**
 * Flinks Connect: a page of Flinks'. The browser returns the id of a login, which could be any person's: accepted only
 * with our tag, or when it is the login under repair and was read since the start.
 * Source: https://docs.flinks.com/guides/connect/standard-integration
 */
export const flinksConnect: RedirectAuthorization = {
  step: 'redirect',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const memo: Memo = { tag: randomUUID(), startedAt: kit.now().getTime(), mending: null }
    const mended = former ? await tryLive(kit, former) : null
    if (former && mended) {
      memo.mending = former.loginId
      // The bank accepted the login without a question: the owner has nothing to do.
      const url =
        mended.status === 200 ? backUrl(request, former.loginId) : await connectUrl(kit, request, { requestId: mended.session.RequestId })
      return { url, memo: { ...memo } }
    }
    const institutionId = request.institutionId ?? former?.institutionId
    return { url: await connectUrl(kit, request, { tag: memo.tag, ...(institutionId ? { institutionId } : {}) }), memo: { ...memo } }
  },

  async complete(kit, { query, memo, reconnect }) {
    const known = readMemo(memo)
    const former = reconnect ? readSecret(reconnect) : null
    const refusal = known.mending === null ? NOTHING_AUTHORIZED : NOT_RENEWED
    const loginId = query.loginId ?? ''
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(loginId)) throw new InputRefused(refusal)
    if (known.mending !== null && loginId !== known.mending) throw new InputRefused(refusal)
    const session = await openOwn(kit, loginId, refusal)
    if (!isReadSince(session, known.startedAt - SLACK_MS)) throw new InputRefused(refusal)
    const listing = await look(kit, session.RequestId)
    // A list that is not ready yet proves neither.
    if (listing && known.mending === null && (listing.Tag ?? known.tag) !== known.tag) throw new InputRefused(refusal)
    if (listing?.Accounts.length === 0) throw new InputRefused(NO_ACCOUNTS)
    return [toGrant(session, loginId, former)]
  },
}

/** Live call to the bank with the existing login; null when the login has to be created again. */
async function tryLive(kit: Kit, { loginId }: FlinksSecret): Promise<Awaited<ReturnType<typeof authorize>> | null> {
  try {
    return await authorize(kit, loginId, { isCached: false, timeoutMs: LIVE_MS })
  } catch (error) {
    // Changed password, or a deleted login: answering a question would not help.
    if (error instanceof FlinksError && error.kind === 'reconnect' && !error.isClientRefused) return null
    throw error
  }
}

async function connectUrl(kit: Kit, request: RedirectRequest, more: Record<string, string>): Promise<string> {
  const url = new URL(`${kit.hosts.connect ?? ''}/v2/`)
  const own = {
    redirectUrl: callbackOf(request).href,
    authorizeToken: await fetchToken(kit),
    language: LANGUAGES[request.locale],
    demo: kit.app.demo === 'yes' ? 'true' : 'false',
    // Nightly refresh, the only one without the owner.
    scheduleRefresh: 'true',
  }
  for (const [name, value] of Object.entries({ ...own, ...more })) url.searchParams.set(name, value)
  return url.href
}

function backUrl(request: RedirectRequest, loginId: string): string {
  const url = callbackOf(request)
  url.searchParams.set('loginId', loginId)
  return url.href
}

function callbackOf({ callbackUrl, state }: RedirectRequest): URL {
  const url = new URL(callbackUrl)
  url.searchParams.set('state', state)
  return url
}

async function openOwn(kit: Kit, loginId: string, refusal: LocalizedText): Promise<AuthorizeAnswer> {
  try {
    const { status, session } = await authorize(kit, loginId, { isCached: true })
    if (status !== 203) return session
  } catch (error) {
    if (!(error instanceof FlinksError) || error.isClientRefused || error.kind === 'unavailable' || error.kind === 'rateLimited')
      throw error
  }
  throw new InputRefused(refusal)
}

/** Null while the login is being read for the first time: then its first sync waits for it. */
async function look(kit: Kit, requestId: string): Promise<AccountsAnswer | null> {
  const path = '/GetAccountsSummary'
  let answer = await callFlinks(kit, {
    method: 'POST',
    path,
    body: { RequestId: requestId, WithBalance: true, WithAccountIdentity: false },
  })
  for (let looks = 1; answer.status === 202 && looks < LOOKS; looks += 1) {
    await delay(LOOK_MS)
    answer = await callFlinks(kit, { path: `${path}Async/*`, id: requestId })
  }
  return answer.status === 200 ? checkEnvelope(AccountsAnswer, answer.json, path) : null
}

/** Times have no zone and are UTC. */
function isReadSince({ Login }: AuthorizeAnswer, startMs: number): boolean {
  const text = Login?.LastRefresh
  if (!text || Number.isNaN(Date.parse(text))) return false
  return (parseInstant(text)?.getTime() ?? 0) >= startMs
}

function toGrant(session: AuthorizeAnswer, loginId: string, former: FlinksSecret | null): Grant {
  const id = session.InstitutionId
  if (id === null || id === undefined) throw new SourceError('badData', '/Authorize: the answer names no institution')
  const replaced = former && former.loginId !== loginId ? [...former.replaced, former.loginId] : (former?.replaced ?? [])
  const entity = { id: String(id), name: session.InstitutionName ?? session.Institution ?? 'Flinks' }
  const credentials = toCredentials({ loginId, institutionId: entity.id, replaced })
  return { credentials, entity, institution: entity, reference: loginId }
}

function readMemo(memo: Json): Memo {
  if (isJsonObject(memo) && typeof memo.tag === 'string' && typeof memo.startedAt === 'number')
    return { tag: memo.tag, startedAt: memo.startedAt, mending: typeof memo.mending === 'string' ? memo.mending : null }
  throw new SourceError('badData', 'the memo of this authorization holds no tag')
}
