import { randomUUID } from 'node:crypto'
import { hashId } from '../../kit/random.ts'
import { PlaidFailure } from '../api/failures.ts'
import type { Context } from '../context.ts'
import type { AccountRole, Item } from '../state.ts'
import { offerAccounts, openAccount } from './accounts.ts'
import { writeHistory } from './ledger.ts'

const PUBLIC_TOKEN_LIFE_MS = 30 * 60_000

export interface NewItem {
  institutionId: string
  /** The accounts that the owner selected. */
  roles: readonly AccountRole[]
  products: string[]
  daysRequested: number
  webhook: string | null
  clientUserId: string
}

/** Links a login: creates the item with its accounts and history, and a single-use public token. */
export function createItem(context: Context, request: NewItem): { item: Item; publicToken: string } {
  const institution = context.institution(request.institutionId)
  if (!institution) throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_INSTITUTION', 'invalid institution_id provided')
  context.state.itemCount += 1
  const number = context.state.itemCount
  const now = context.nowMs()
  const offered = offerAccounts(context.seed, institution).filter((account) => request.roles.includes(account.role))
  const item: Item = {
    itemId: hashId(37, context.seed, 'item', number),
    accessToken: `access-sandbox-${randomUUID()}`,
    number,
    institutionId: institution.id,
    clientUserId: request.clientUserId,
    webhook: request.webhook,
    products: request.products.filter((product) => institution.products.includes(product)),
    error: null,
    removed: false,
    createdAt: now,
    updatedAt: now,
    through: '',
    accounts: offered.map((account) => openAccount(context.seed, institution.id, number, account)),
    transactions: [],
    sequence: 0,
    synced: false,
  }
  writeHistory(item, context.seed, request.daysRequested, now)
  item.updatedAt = now
  context.state.items[item.itemId] = item
  const publicToken = `public-sandbox-${randomUUID()}`
  context.state.publicTokens[publicToken] = { itemId: item.itemId, expiresAt: now + PUBLIC_TOKEN_LIFE_MS, used: false }
  return { item, publicToken }
}

/** Puts an item into an error state and notifies its webhook. */
export function breakItem(context: Context, item: Item, code: string): void {
  item.error = code
  context.save()
  context.send(item.webhook, webhookBody(item, 'ITEM', code === 'USER_PERMISSION_REVOKED' ? code : 'ERROR'))
}

/** Clears the error of an item, as update mode does. */
export function repairItem(context: Context, item: Item): void {
  item.error = null
  context.save()
  context.send(item.webhook, webhookBody(item, 'ITEM', 'LOGIN_REPAIRED'))
}

/** The body of a webhook about an item. Source: the …Webhook schemas of Plaid's OpenAPI document */
export function webhookBody(item: Item, type: string, code: string): Record<string, unknown> {
  const common = { webhook_type: type, webhook_code: code, item_id: item.itemId, environment: 'sandbox' }
  switch (code) {
    case 'ERROR':
      return { ...common, error: toErrorView(item.error ?? 'ITEM_LOGIN_REQUIRED') }
    case 'USER_PERMISSION_REVOKED':
      return { ...common, error: toErrorView(code) }
    case 'PENDING_DISCONNECT':
      return { ...common, reason: 'INSTITUTION_TOKEN_EXPIRATION', disconnect_time: new Date(item.updatedAt + 7 * 86_400_000).toISOString() }
    case 'USER_ACCOUNT_REVOKED':
      return { ...common, account_id: item.accounts[0]?.accountId ?? '' }
    case 'SYNC_UPDATES_AVAILABLE':
      return { ...common, initial_update_complete: true, historical_update_complete: true }
    case 'DEFAULT_UPDATE':
      return type === 'LIABILITIES'
        ? { ...common, error: null, account_ids_with_new_liabilities: [], account_ids_with_updated_liabilities: {} }
        : { ...common, error: null, new_transactions: 1 }
    default:
      return { ...common, error: null }
  }
}

/** Default webhook type of a code. */
export function webhookTypeOf(code: string): string {
  if (code === 'SYNC_UPDATES_AVAILABLE' || code === 'RECURRING_TRANSACTIONS_UPDATE') return 'TRANSACTIONS'
  return code === 'DEFAULT_UPDATE' ? 'LIABILITIES' : 'ITEM'
}

function toErrorView(code: string): Record<string, unknown> {
  return {
    error_type: 'ITEM_ERROR',
    error_code: code,
    error_message: 'the login details of this item have changed',
    display_message: null,
    status: 400,
  }
}
