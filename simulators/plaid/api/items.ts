import type { Fields } from '../../kit/http/json-body.ts'
import { type Context, optionalText, optionsOf, requireHealthyItem, requireItem, requireText, textList } from '../context.ts'
import type { Account, Item } from '../state.ts'
import { PlaidFailure } from './failures.ts'
import { hasLiabilities, toLiabilitiesView } from './liabilities.ts'
import { requireProduct } from './products.ts'
import { toAccountView, toItemView } from './views.ts'

export function exchangePublicToken(context: Context, body: Fields): Fields {
  const token = context.state.publicTokens[requireText(body, 'public_token')]
  if (!token || token.used || token.expiresAt <= context.nowMs()) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_PUBLIC_TOKEN', 'the public token is expired, used or unknown')
  }
  const item = context.state.items[token.itemId]
  if (!item || item.removed) throw new PlaidFailure(400, 'ITEM_ERROR', 'ITEM_NOT_FOUND', 'the Item cannot be found')
  token.used = true
  context.save()
  return { access_token: item.accessToken, item_id: item.itemId }
}

export function getItem(context: Context, body: Fields): Fields {
  const item = requireItem(context, body)
  const failedAt = item.error === null ? null : new Date(context.nowMs()).toISOString()
  return {
    item: { ...toItemView(context, item), created_at: new Date(item.createdAt).toISOString() },
    status: {
      transactions: { last_successful_update: new Date(item.updatedAt).toISOString(), last_failed_update: failedAt },
      last_webhook: null,
    },
  }
}

export function removeItem(context: Context, body: Fields): Fields {
  const item = requireItem(context, body)
  item.removed = true
  context.save()
  return {}
}

export function updateItemWebhook(context: Context, body: Fields): Fields {
  const item = requireItem(context, body)
  item.webhook = optionalText(body, 'webhook')
  context.save()
  context.send(item.webhook, {
    webhook_type: 'ITEM',
    webhook_code: 'WEBHOOK_UPDATE_ACKNOWLEDGED',
    item_id: item.itemId,
    new_webhook_url: item.webhook,
    error: null,
    environment: 'sandbox',
  })
  return { item: toItemView(context, item) }
}

export function getAccounts(context: Context, body: Fields): Fields {
  const item = requireHealthyItem(context, body)
  return { accounts: chosenAccounts(item, body).map(toAccountView), item: toItemView(context, item) }
}

export function getLiabilities(context: Context, body: Fields): Fields {
  const item = requireHealthyItem(context, body)
  requireProduct(context, item, 'liabilities')
  const accounts = chosenAccounts(item, body)
  if (!hasLiabilities(accounts)) throw new PlaidFailure(400, 'ITEM_ERROR', 'NO_LIABILITY_ACCOUNTS', 'no liability accounts found')
  return {
    accounts: accounts.map(toAccountView),
    item: toItemView(context, item),
    liabilities: toLiabilitiesView(accounts, context.nowMs()),
  }
}

/** The accounts named by `options.account_ids`; defaults to all. */
export function chosenAccounts(item: Item, body: Fields): Account[] {
  const wanted = textList(optionsOf(body), 'account_ids')
  if (!wanted) return item.accounts
  if (wanted.some((id) => !item.accounts.some((account) => account.accountId === id))) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_ACCOUNT_ID', 'one or more of the account IDs are invalid')
  }
  return item.accounts.filter((account) => wanted.includes(account.accountId))
}
