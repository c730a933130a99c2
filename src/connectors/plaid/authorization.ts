import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectAuthorization, type RedirectRequest } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { askPlaid, PlaidError } from './request.ts'
import { type PlaidSecret, readSecret } from './secret.ts'
import { ItemAnswer, LinkTokenCreated, LinkTokenState, TokenExchanged } from './wire.ts'

/** Maximum history of Plaid; fixed once the item exists. Source: /link/token/create, transactions.days_requested */
const HISTORY_DAYS = 730
/** Lifetime of the hosted page, for the bank's own login steps; Plaid's default is 30 minutes, the maximum 21 days. */
const PAGE_LIFE_SECONDS = 3_600
const COUNTRIES = ['US', 'CA']
const LANGUAGES: Record<Locale, string> = { en: 'en', 'fr-CA': 'fr' }

/** Error codes of an item that update mode cannot repair. Source: https://plaid.com/docs/errors/item/ */
const GONE: ReadonlySet<string> = new Set(['ITEM_NOT_FOUND', 'INVALID_ACCESS_TOKEN', 'USER_PERMISSION_REVOKED'])

const NOTHING_AUTHORIZED: LocalizedText = {
  en: 'No bank was connected, because nothing was authorized at Plaid. You can try again.',
  'fr-CA': 'Aucune banque n’a été connectée, car rien n’a été autorisé chez Plaid. Vous pouvez réessayer.',
}
const NOT_RENEWED: LocalizedText = {
  en: 'The connection to your bank was not renewed, because the sign-in at Plaid was not completed. You can try again.',
  'fr-CA':
    'La connexion à votre banque n’a pas été renouvelée, car l’ouverture de session chez Plaid n’a pas été terminée. Vous pouvez réessayer.',
}

/**
 * Hosted Link: a page at Plaid, so none of Plaid's scripts run on our pages.
 * Source: https://plaid.com/docs/link/hosted-link/
 */
export const hostedLink: RedirectAuthorization = {
  step: 'redirect',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const isUpdate = former !== null && (await isRepairable(kit, former, request.webhookUrl))
    const created = await askPlaid(kit, '/link/token/create', toLinkRequest(request, former, isUpdate), LinkTokenCreated)
    return { url: created.hosted_link_url, memo: { linkToken: created.link_token, isUpdate }, match: created.link_token }
  },

  async complete(kit, { memo, reconnect }) {
    const { linkToken, isUpdate } = readMemo(memo)
    if (isUpdate && reconnect) return [await confirmRepair(kit, reconnect)]
    const state = await askPlaid(kit, '/link/token/get', { link_token: linkToken }, LinkTokenState)
    const added = listAdded(state)
    if (added.length === 0) throw new InputRefused(NOTHING_AUTHORIZED)
    return await exchangeAll(kit, added)
  },
}

/**
 * Whether update mode can repair the item. Also updates the item's webhook address, which update mode itself does not
 * do.
 */
async function isRepairable(kit: Kit, secret: PlaidSecret, webhookUrl: string): Promise<boolean> {
  try {
    const body = { access_token: secret.accessToken, webhook: webhookUrl }
    const { item } = await askPlaid(kit, '/item/webhook/update', body, ItemAnswer)
    return item.error?.error_code !== 'USER_PERMISSION_REVOKED'
  } catch (error) {
    // A deleted or revoked item cannot be updated: the same bank is linked again.
    if (error instanceof PlaidError && error.code !== null && GONE.has(error.code)) return false
    throw error
  }
}

function toLinkRequest(request: RedirectRequest, former: PlaidSecret | null, isUpdate: boolean): Json {
  const completion = new URL(request.callbackUrl)
  completion.searchParams.set('state', request.state)
  const common = {
    client_name: 'Countinghouse',
    language: LANGUAGES[request.locale],
    country_codes: COUNTRIES,
    user: { client_user_id: request.companyId },
    webhook: request.webhookUrl,
    hosted_link: { completion_redirect_uri: completion.href, url_lifetime_seconds: PAGE_LIFE_SECONDS },
  }
  if (isUpdate && former) return { ...common, access_token: former.accessToken }
  const institutionId = request.institutionId ?? former?.institutionId ?? null
  return {
    ...common,
    products: ['transactions'],
    optional_products: ['liabilities'],
    transactions: { days_requested: HISTORY_DAYS },
    ...(institutionId === null ? {} : { institution_id: institutionId }),
  }
}

/**
 * Confirms a repair. Update mode has no token to exchange: the item's own status shows whether its login works again.
 */
async function confirmRepair(kit: Kit, credentials: Credentials): Promise<Grant> {
  const secret = readSecret(credentials)
  const { item } = await askPlaid(kit, '/item/get', { access_token: secret.accessToken }, ItemAnswer)
  if (item.error) throw new InputRefused(NOT_RENEWED)
  return toGrant(credentials, item.item_id, { id: item.institution_id ?? null, name: item.institution_name ?? null })
}

interface AddedItem {
  publicToken: string
  institution: { id: string | null; name: string | null }
}

function listAdded(state: LinkTokenState): AddedItem[] {
  return (state.link_sessions ?? []).flatMap((session) => {
    const results = session.results?.item_add_results ?? []
    if (results.length > 0) return results.map((result) => toAdded(result.public_token, result.institution))
    // Clients of an older generation receive this instead of the results.
    const success = session.on_success
    return success ? [toAdded(success.public_token, success.metadata?.institution)] : []
  })
}

function toAdded(publicToken: string, institution: { institution_id?: string | null; name?: string | null } | null | undefined): AddedItem {
  return { publicToken, institution: { id: institution?.institution_id ?? null, name: institution?.name ?? null } }
}

async function exchangeAll(kit: Kit, added: readonly AddedItem[]): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const { publicToken, institution } of added) {
    try {
      const exchanged = await askPlaid(kit, '/item/public_token/exchange', { public_token: publicToken }, TokenExchanged)
      const secret: PlaidSecret = { accessToken: exchanged.access_token, itemId: exchanged.item_id, institutionId: institution.id }
      grants.push(toGrant({ secret: { ...secret }, expiresAt: null }, exchanged.item_id, institution))
    } catch (error) {
      // A public token can be exchanged once: throwing now would lose the items that were exchanged before this one.
      if (grants.length === 0 || !(error instanceof SourceError)) throw error
    }
  }
  return grants
}

/** Grant of an item. Without an institution (accounts verified by hand) the item's own id is the reference. */
function toGrant(credentials: Credentials, itemId: string, institution: AddedItem['institution']): Grant {
  const entity = { id: institution.id ?? itemId, name: institution.name ?? 'Plaid' }
  return { credentials, entity, institution: entity, reference: itemId }
}

function readMemo(memo: Json): { linkToken: string; isUpdate: boolean } {
  if (isJsonObject(memo) && typeof memo.linkToken === 'string') return { linkToken: memo.linkToken, isUpdate: memo.isUpdate === true }
  throw new SourceError('badData', 'the memo of this authorization holds no link token')
}
