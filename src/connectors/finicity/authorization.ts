import { createHash, randomUUID } from 'node:crypto'
import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectAuthorization, type RedirectRequest } from '../contract/authorization.ts'
import { type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { fetchLogin, headsOf, listCustomerAccounts } from './login-accounts.ts'
import { askFinicity, authenticate, FinicityError } from './request.ts'
import { type FinicitySecret, readSecret, toCredentials } from './secret.ts'
import { isMended } from './status.ts'
import { type AccountHead, ConnectAnswer, CustomerAnswer, CustomersAnswer, InstitutionAnswer } from './wire.ts'

/** Languages of Data Connect; defaults to English. Source: ConnectLanguage of the OpenAPI document */
const LANGUAGES: Record<Locale, string | null> = { en: null, 'fr-CA': 'fr' }
/** Timeout of the first aggregation, which may take three minutes; it continues at Finicity after that. */
const FIRST_READING_WAIT_MS = 15_000

const NOTHING_AUTHORIZED: LocalizedText = {
  en: 'No bank was connected, because no account was shared at Mastercard Data Connect. You can try again.',
  'fr-CA': 'Aucune banque n’a été connectée, car aucun compte n’a été partagé dans Mastercard Data Connect. Vous pouvez réessayer.',
}
const NOT_RENEWED: LocalizedText = {
  en: 'The connection to your bank was not renewed, because the sign-in at Mastercard Data Connect was not completed. You can try again.',
  'fr-CA':
    'La connexion à votre banque n’a pas été renouvelée, car l’ouverture de session dans Mastercard Data Connect n’a pas été terminée. Vous pouvez réessayer.',
}

/** State for `complete`; all other data are read from Finicity. */
interface Memo {
  customerId: string
  /** Logins that existed before. */
  before: string[]
  startedAt: number
  /** Login under repair. */
  fixing: string | null
}

/**
 * Data Connect: a page of Mastercard's. No data of the owner's return are trusted: the authorized login is the one at
 * the customer that is new, or works again.
 * Source: https://developer.mastercard.com/open-finance-us/documentation/connect/
 */
export const dataConnect: RedirectAuthorization = {
  step: 'redirect',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const token = await authenticate(kit)
    const isFix = former !== null && (await isThere(kit, { ...former, token }))
    const customerId = isFix ? former.customerId : await findOrCreateCustomer(kit, token, request.companyId)
    const before = isFix ? [] : (await listCustomerAccounts(kit, token, customerId)).map(({ institutionLoginId: id }) => String(id))
    const match = randomUUID()
    const institutionId = isFix ? null : (request.institutionId ?? former?.institutionId ?? null)
    const body = { ...toConnectBody(kit, request, match), customerId, ...connectTarget(isFix ? former : null, institutionId) }
    const kind = isFix ? '/fix' : institutionId === null ? '' : '/lite'
    const { link } = await askFinicity(kit, token, { method: 'POST', path: `/connect/v2/generate${kind}`, body }, ConnectAnswer)
    const memo: Memo = {
      customerId,
      before: [...new Set(before)],
      startedAt: Math.floor(kit.now().getTime() / 1000),
      fixing: isFix ? former.institutionLoginId : null,
    }
    return { url: link, memo: { ...memo }, match }
  },

  async complete(kit, { memo, reconnect }) {
    const known = readMemo(memo)
    const token = await authenticate(kit)
    if (known.fixing !== null && reconnect) return [await confirmRepair(kit, token, readSecret(reconnect))]
    const accounts = await listCustomerAccounts(kit, token, known.customerId)
    const added = [...Map.groupBy(accounts, ({ institutionLoginId: id }) => String(id))].filter(
      ([id, heads]) => !known.before.includes(id) || heads.some(({ createdDate }) => Number(createdDate ?? 0) > known.startedAt),
    )
    if (added.length === 0) throw new InputRefused(NOTHING_AUTHORIZED)
    const grants: Grant[] = []
    for (const [institutionLoginId, heads] of added)
      grants.push(await toGrant(kit, toSecret(token, known.customerId, institutionLoginId, heads), heads))
    return grants
  },
}

/** Whether the login still exists for a repair; a deleted one is linked again. */
async function isThere(kit: Kit, secret: FinicitySecret): Promise<boolean> {
  try {
    return (await headsOf(await fetchLogin(kit, secret))).length > 0
  } catch (error) {
    if (error instanceof FinicityError && error.isGone) return false
    throw error
  }
}

/** Finicity customer of the company; created when it does not exist. Its name does not identify the company. */
async function findOrCreateCustomer(kit: Kit, token: string, companyId: string): Promise<string> {
  const username = `ch-${createHash('sha256').update(companyId).digest('hex').slice(0, 32)}`
  try {
    return await createCustomer(kit, token, username)
  } catch (error) {
    if (!(error instanceof FinicityError) || error.status !== 409) throw error
  }
  const query = { username, limit: '25' }
  const { customers } = await askFinicity(kit, token, { path: '/aggregation/v1/customers', query }, CustomersAnswer)
  const known = customers.find((customer) => customer.username === username)
  // A name that is in use but not found belonged to a deleted customer.
  return known ? String(known.id) : await createCustomer(kit, token, `${username}-${randomUUID().slice(0, 8)}`)
}

async function createCustomer(kit: Kit, token: string, username: string): Promise<string> {
  const type = kit.app.customerType === 'testing' ? 'testing' : 'active'
  const { applicationId } = kit.app
  const body = { username, ...(applicationId ? { applicationId } : {}) }
  const call = { method: 'POST', path: `/aggregation/v2/customers/${type}`, body } as const
  return String((await askFinicity(kit, token, call, CustomerAnswer)).id)
}

function toConnectBody(kit: Kit, request: RedirectRequest, match: string): { [name: string]: Json } {
  const completion = new URL(request.callbackUrl)
  completion.searchParams.set('state', request.state)
  const language = LANGUAGES[request.locale]
  return {
    partnerId: kit.app.partnerId ?? '',
    redirectUri: completion.href,
    webhook: request.webhookUrl,
    webhookContentType: 'application/json',
    webhookData: { match },
    singleUseUrl: true,
    ...(language === null ? {} : { language }),
  }
}

function connectTarget(former: FinicitySecret | null, institutionId: string | null): { [name: string]: Json } {
  if (former) return { institutionLoginId: former.institutionLoginId }
  return institutionId === null ? {} : { institutionId: Number(institutionId) }
}

async function confirmRepair(kit: Kit, token: string, former: FinicitySecret): Promise<Grant> {
  const secret = { ...former, token }
  const heads = await headsOf(await fetchLogin(kit, secret))
  if (!isMended(heads)) throw new InputRefused(NOT_RENEWED)
  return await toGrant(kit, secret, heads)
}

function toSecret(token: string, customerId: string, institutionLoginId: string, heads: readonly AccountHead[]): FinicitySecret {
  return { token, customerId, institutionLoginId, institutionId: String(heads[0]?.institutionId ?? '') }
}

async function toGrant(kit: Kit, secret: FinicitySecret, heads: readonly AccountHead[]): Promise<Grant> {
  if (heads.some((head) => !head.aggregationSuccessDate)) await askForFirstReading(kit, secret)
  const entity = { id: secret.institutionId, name: (await nameOf(kit, secret)) ?? 'Finicity' }
  return { credentials: toCredentials(secret, kit.now()), entity, institution: entity, reference: secret.customerId }
}

/**
 * First aggregation, only while the owner is present: on-demand aggregation may not be automated. When it takes longer,
 * the first sync waits for it.
 */
async function askForFirstReading(kit: Kit, secret: FinicitySecret): Promise<void> {
  try {
    await fetchLogin(kit, secret, { method: 'POST', body: {}, timeoutMs: FIRST_READING_WAIT_MS })
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind === 'reconnect') throw error
  }
}

/** Name of a bank; null for one removed from the directory. */
export async function nameOf(kit: Kit, { token, institutionId }: FinicitySecret): Promise<string | null> {
  try {
    const call = { path: '/institution/v2/institutions/*', ids: [institutionId] }
    const { institution } = await askFinicity(kit, token, call, InstitutionAnswer)
    return institution.displayName?.trim() || institution.name?.trim() || null
  } catch (error) {
    if (error instanceof FinicityError && error.status === 404) return null
    throw error
  }
}

function readMemo(memo: Json): Memo {
  if (isJsonObject(memo) && typeof memo.customerId === 'string' && Array.isArray(memo.before)) {
    const { customerId, before, startedAt, fixing } = memo
    return {
      customerId,
      before: before.filter((id) => typeof id === 'string'),
      startedAt: typeof startedAt === 'number' ? startedAt : Number.POSITIVE_INFINITY,
      fixing: typeof fixing === 'string' ? fixing : null,
    }
  }
  throw new SourceError('badData', 'the memo of this authorization names no customer')
}
