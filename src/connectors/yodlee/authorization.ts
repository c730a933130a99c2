import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectRequest, type WidgetAuthorization } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { findProviderAccount } from './accounts.ts'
import { askYodlee, callYodlee, isGone, requestToken, type Token, YodleeError } from './request.ts'
import { idText, readSecret, type YodleeSecret } from './secret.ts'
import { checkAccountStatus, wordForOwner } from './status.ts'
import { toWidget } from './widget.ts'
import { type ProviderAccount, ProviderAccountsAnswer, ProvidersAnswer, ProviderWire } from './wire.ts'

const LOCALES: Record<Locale, string> = { en: 'en_CA', 'fr-CA': 'fr_CA' }

const NOTHING_LINKED: LocalizedText = {
  en: 'No bank was connected, because the sign-in at Yodlee was not completed. You can try again.',
  'fr-CA': 'Aucune institution n’a été connectée, car l’ouverture de session chez Yodlee n’a pas été terminée. Vous pouvez réessayer.',
}
const NOT_RENEWED: LocalizedText = {
  en: 'The connection to your bank was not renewed, because the sign-in at Yodlee was not completed. You can try again.',
  'fr-CA':
    'La connexion à votre institution n’a pas été renouvelée, car l’ouverture de session chez Yodlee n’a pas été terminée. Vous pouvez réessayer.',
}

export const fastLink: WidgetAuthorization = {
  step: 'widget',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const loginName = former?.loginName ?? request.companyId
    const { accessToken } = await requestToken(kit, loginName)
    const repaired = former && (await findProviderAccount(kit, { ...former, accessToken })) ? former : null
    const known = repaired ? [] : (await listProviderAccounts(kit, accessToken)).flatMap(({ id }) => idText(id) ?? [])
    await speak(kit, accessToken, request.locale)
    const widget = toWidget({
      script: kit.hosts.script ?? '',
      url: kit.hosts.fastlink ?? '',
      token: accessToken,
      configName: kit.app.configName || 'Aggregation',
      flow: toFlow(request, former, repaired),
    })
    return { widget, memo: { loginName, known, providerAccountId: repaired?.providerAccountId ?? null } }
  },

  async complete(kit, { memo, query, reconnect }) {
    const { loginName, known, providerAccountId } = readMemo(memo)
    const token = await requestToken(kit, loginName)
    if (providerAccountId !== null && reconnect) return [await confirmRepair(kit, token, reconnect)]
    const handles = (query.providerAccountIds ?? '').split(',')
    const all = await listProviderAccounts(kit, token.accessToken)
    const added = all.filter(({ id }) => !known.has(String(id)))
    // A new login at a bank that was already linked adds no provider account.
    const chosen = added.length > 0 ? added : all.filter(({ id }) => handles.includes(String(id)))
    const usable = chosen.filter((each) => wordForOwner(each) === null)
    if (usable.length === 0) throw new InputRefused(NOTHING_LINKED)
    return await Promise.all(usable.map((each) => toGrant(kit, token, loginName, each)))
  },
}

/** Requests a new token. Yodlee issues one for any name, so the login at the bank is checked with it. */
export async function refreshCredentials(kit: Kit, credentials: Credentials): Promise<Credentials> {
  const secret = readSecret(credentials)
  const token = await requestToken(kit, secret.loginName)
  const found = await findProviderAccount(kit, { ...secret, accessToken: token.accessToken })
  if (!found) throw new SourceError('reconnect', 'the provider account is gone at Yodlee')
  checkAccountStatus(found)
  return toCredentials(secret, token)
}

/**
 * Deletes the provider account with all data that Yodlee read. The user is kept: other banks of the company may belong
 * to it.
 */
export async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const { loginName, providerAccountId } = readSecret(credentials)
  const { accessToken } = await requestToken(kit, loginName)
  try {
    await callYodlee(kit, { method: 'DELETE', path: `/providerAccounts/${providerAccountId}`, token: accessToken })
  } catch (error) {
    // Already revoked: nothing is left to disconnect.
    if (!isGone(error)) throw error
  }
}

function toFlow(request: RedirectRequest, former: YodleeSecret | null, repaired: YodleeSecret | null) {
  if (repaired) return { flow: 'edit' as const, providerAccountId: repaired.providerAccountId }
  const providerId = request.institutionId ?? former?.providerId ?? null
  return providerId === null ? {} : { flow: 'add' as const, providerId }
}

/** Sets FastLink's language: the user's locale. A client without that locale keeps its own. */
async function speak(kit: Kit, token: string, locale: Locale): Promise<void> {
  try {
    await callYodlee(kit, { method: 'PUT', path: '/user', token, body: { user: { preferences: { locale: LOCALES[locale] } } } })
  } catch (error) {
    if (!(error instanceof YodleeError && error.status === 400)) throw error
  }
}

async function listProviderAccounts(kit: Kit, token: string): Promise<ProviderAccount[]> {
  return (await askYodlee(kit, { path: '/providerAccounts', token }, ProviderAccountsAnswer)).providerAccount ?? []
}

async function confirmRepair(kit: Kit, token: Token, credentials: Credentials): Promise<Grant> {
  const secret = readSecret(credentials)
  const found = await findProviderAccount(kit, { ...secret, accessToken: token.accessToken })
  if (!found || wordForOwner(found) !== null) throw new InputRefused(NOT_RENEWED)
  return await toGrant(kit, token, secret.loginName, found)
}

async function toGrant(kit: Kit, token: Token, loginName: string, account: ProviderAccount): Promise<Grant> {
  const providerAccountId = String(account.id)
  // A manually maintained provider account has no provider; its own id is the reference.
  const providerId = idText(account.providerId) ?? providerAccountId
  const entity = { id: providerId, name: (await nameOf(kit, token, providerId)) ?? 'Yodlee' }
  const credentials = toCredentials({ loginName, providerAccountId, providerId }, token)
  return { credentials, entity, institution: entity, reference: loginName }
}

async function nameOf(kit: Kit, { accessToken }: Token, providerId: string): Promise<string | null> {
  try {
    const { provider = [] } = await askYodlee(kit, { path: `/providers/${providerId}`, token: accessToken }, ProvidersAnswer)
    const [found] = provider
    return Check(ProviderWire, found) ? found.name : null
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

function toCredentials(
  { loginName, providerAccountId, providerId }: Omit<YodleeSecret, 'accessToken'>,
  { accessToken, expiresAt }: Token,
): Credentials {
  return { secret: { loginName, providerAccountId, providerId, accessToken }, expiresAt }
}

function readMemo(memo: Json): { loginName: string; known: ReadonlySet<string>; providerAccountId: string | null } {
  if (!isJsonObject(memo) || typeof memo.loginName !== 'string')
    throw new SourceError('badData', 'the memo of this authorization names no user')
  const known = Array.isArray(memo.known) ? memo.known.filter((id) => typeof id === 'string') : []
  const { providerAccountId } = memo
  return {
    loginName: memo.loginName,
    known: new Set(known),
    providerAccountId: typeof providerAccountId === 'string' ? providerAccountId : null,
  }
}
