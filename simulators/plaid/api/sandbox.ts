import { type Fields, isFields } from '../../kit/http/json-body.ts'
import { type Context, optionalText, optionsOf, requireInteger, requireItem, requireText, textList } from '../context.ts'
import { offerAccounts } from '../data/accounts.ts'
import { breakItem, createItem, webhookBody, webhookTypeOf } from '../data/items.ts'
import { invalidField, missingField, PlaidFailure } from './failures.ts'

const DEFAULT_DAYS = 90

/** Creates an item without a browser, with every account of the institution selected. */
export function createPublicToken(context: Context, body: Fields): Fields {
  const institution = context.institution(requireText(body, 'institution_id'))
  if (!institution) throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_INSTITUTION', 'invalid institution_id provided')
  const products = textList(body, 'initial_products')
  if (!products || products.length === 0) throw missingField('initial_products')
  const options = optionsOf(body)
  const { publicToken } = createItem(context, {
    institutionId: institution.id,
    roles: offerAccounts(context.seed, institution).map((account) => account.role),
    products,
    daysRequested: readDays(options),
    webhook: optionalText(options, 'webhook'),
    clientUserId: 'sandbox',
  })
  context.save()
  return { public_token: publicToken }
}

export function fireItemWebhook(context: Context, body: Fields): Fields {
  const item = requireItem(context, body)
  const code = requireText(body, 'webhook_code')
  if (item.webhook === null) throw new PlaidFailure(400, 'SANDBOX_ERROR', 'SANDBOX_WEBHOOK_INVALID', 'the item has no webhook')
  if (!/^[A-Z_]{3,60}$/.test(code)) throw invalidField('webhook_code is not a code')
  context.send(item.webhook, webhookBody(item, optionalText(body, 'webhook_type') ?? webhookTypeOf(code), code))
  return { webhook_fired: true }
}

export function resetItemLogin(context: Context, body: Fields): Fields {
  breakItem(context, requireItem(context, body), 'ITEM_LOGIN_REQUIRED')
  return { reset_login: true }
}

function readDays(options: Fields): number {
  const transactions = options.transactions
  if (!isFields(transactions) || transactions.days_requested === undefined) return DEFAULT_DAYS
  return requireInteger(transactions, 'days_requested', 1, 730)
}
