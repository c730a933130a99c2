import { randomUUID } from 'node:crypto'
import { type Fields, isFields } from '../../kit/http/json-body.ts'
import { type Context, optionalText, requireInteger, requireItem, requireText, textList } from '../context.ts'
import type { LinkSession, LinkToken } from '../state.ts'
import { invalidField, itemFailure, missingField, PlaidFailure } from './failures.ts'
import { checkProducts } from './products.ts'

const NEW_ITEM_LIFE_MS = 4 * 3_600_000
const SHORT_LIFE_MS = 30 * 60_000
/** Session data is kept for six hours after the session ends. */
const SESSION_DATA_MS = 6 * 3_600_000
const DEFAULT_DAYS = 90
/** Source: schema CountryCode of https://github.com/plaid/plaid-openapi (2020-09-14) */
const COUNTRIES = new Set('US GB ES NL FR IE CA DE IT PL DK NO SE EE LT LV PT BE AT FI'.split(' '))

export function createLinkToken(context: Context, body: Fields): Fields {
  const updateItem = optionalText(body, 'access_token') === null ? null : requireItem(context, body)
  if (updateItem?.error === 'USER_PERMISSION_REVOKED') throw itemFailure(updateItem.error)
  const products = textList(body, 'products') ?? []
  if (updateItem === null && products.length === 0) throw missingField('products')
  checkProducts(products)
  const language = requireText(body, 'language')
  const hosted = readHostedLink(body)
  const now = context.nowMs()
  const lifeMs = hosted?.lifeMs ?? (updateItem === null ? NEW_ITEM_LIFE_MS : SHORT_LIFE_MS)
  const token: LinkToken = {
    token: `link-sandbox-${randomUUID()}`,
    pageId: randomUUID(),
    createdAt: now,
    expiresAt: now + lifeMs,
    clientName: requireText(body, 'client_name').slice(0, 30),
    language: language === 'fr' ? 'fr' : 'en',
    countryCodes: requireCountries(body),
    products,
    optionalProducts: readOptionalProducts(body, products),
    daysRequested: readDays(body),
    webhook: updateItem === null ? optionalText(body, 'webhook') : updateItem.webhook,
    completionRedirectUri: hosted?.completionRedirectUri ?? null,
    institutionId: updateItem?.institutionId ?? readInstitution(context, body),
    updateItemId: updateItem?.itemId ?? null,
    clientUserId: readUser(body),
    sessions: [],
  }
  context.state.linkTokens[token.token] = token
  context.save()
  return {
    link_token: token.token,
    expiration: new Date(token.expiresAt).toISOString(),
    ...(hosted ? { hosted_link_url: `${context.baseUrl()}/hosted/${token.pageId}` } : {}),
  }
}

export function getLinkToken(context: Context, body: Fields): Fields {
  const token = context.state.linkTokens[requireText(body, 'link_token')]
  if (!token) throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_LINK_TOKEN', 'invalid link_token provided')
  const kept = token.sessions.filter((session) => session.finishedAt === null || context.nowMs() - session.finishedAt <= SESSION_DATA_MS)
  return {
    link_token: token.token,
    created_at: new Date(token.createdAt).toISOString(),
    expiration: new Date(token.expiresAt).toISOString(),
    link_sessions: kept.map((session) => toSessionView(context, session)),
    metadata: {
      initial_products: token.products,
      webhook: token.webhook,
      country_codes: token.countryCodes,
      language: token.language,
      redirect_uri: null,
      client_name: token.clientName,
    },
  }
}

function toSessionView(context: Context, session: LinkSession): Fields {
  const item = session.itemId === null ? undefined : context.state.items[session.itemId]
  const institution = session.institutionId === null ? null : context.institution(session.institutionId)
  const named = institution ? { institution_id: institution.id, name: institution.name } : null
  const accounts = (item?.accounts ?? []).map((account) => ({
    id: account.accountId,
    name: account.name,
    mask: account.mask,
    type: account.type,
    subtype: account.subtype ?? '',
    verification_status: null,
    class_type: null,
  }))
  const added = session.publicToken === null ? [] : [{ public_token: session.publicToken, accounts, institution: named }]
  return {
    link_session_id: session.id,
    started_at: new Date(session.startedAt).toISOString(),
    finished_at: session.finishedAt === null ? null : new Date(session.finishedAt).toISOString(),
    events: [],
    results: {
      item_add_results: added,
      cra_item_add_results: [],
      cra_update_results: [],
      bank_income_results: [],
      payroll_income_results: [],
      document_income_results: null,
    },
    ...(session.outcome === 'exited' ? { exit: { error: null, metadata: { institution: named, link_session_id: session.id } } } : {}),
  }
}

function readHostedLink(body: Fields): { completionRedirectUri: string | null; lifeMs: number } | null {
  const hosted = body.hosted_link
  if (hosted === undefined || hosted === null) return null
  if (!isFields(hosted)) throw invalidField('hosted_link must be an object')
  const seconds = hosted.url_lifetime_seconds === undefined ? null : requireInteger(hosted, 'url_lifetime_seconds', 1, 21 * 86_400)
  return {
    completionRedirectUri: optionalText(hosted, 'completion_redirect_uri'),
    lifeMs: seconds === null ? SHORT_LIFE_MS : seconds * 1000,
  }
}

function readInstitution(context: Context, body: Fields): string | null {
  const id = optionalText(body, 'institution_id')
  if (id !== null && !context.institution(id)) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_INSTITUTION', 'invalid institution_id provided')
  }
  return id
}

function requireCountries(body: Fields): string[] {
  const countries = textList(body, 'country_codes')
  if (!countries || countries.length === 0) throw missingField('country_codes')
  const unknown = countries.filter((country) => !COUNTRIES.has(country))
  if (unknown.length > 0) throw invalidField(`country_codes holds unknown values: ${JSON.stringify(unknown)}`)
  return countries
}

function readOptionalProducts(body: Fields, products: readonly string[]): string[] {
  const lists = ['optional_products', 'required_if_supported_products', 'additional_consented_products']
  const optional = lists.flatMap((name) => textList(body, name) ?? [])
  checkProducts(optional)
  if (optional.some((product) => products.includes(product))) {
    throw invalidField('optional products must not overlap with products')
  }
  return optional
}

function readDays(body: Fields): number {
  const transactions = body.transactions
  if (!isFields(transactions) || transactions.days_requested === undefined) return DEFAULT_DAYS
  return requireInteger(transactions, 'days_requested', 1, 730)
}

function readUser(body: Fields): string {
  const user = body.user
  if (!isFields(user)) throw missingField('user')
  return requireText(user, 'client_user_id')
}
