import type { SimulatedInstitution } from '../../kit/data/institutions.ts'
import { hashId } from '../../kit/random.ts'
import type { Context } from '../context.ts'
import type { Account, Item, Transaction } from '../state.ts'
import { itemFailure } from './failures.ts'

/** Response formats of Plaid. Source: components/schemas of https://github.com/plaid/plaid-openapi (2020-09-14) */
export function toAccountView(account: Account): Record<string, unknown> {
  return {
    account_id: account.accountId,
    balances: {
      available: toAmount(account.availableCents),
      current: toAmount(account.currentCents),
      limit: toAmount(account.limitCents),
      iso_currency_code: account.currency,
      unofficial_currency_code: null,
    },
    holder_category: account.holder,
    mask: account.mask,
    name: account.name,
    official_name: account.officialName,
    ...(account.persistentId === null ? {} : { persistent_account_id: account.persistentId }),
    subtype: account.subtype,
    type: account.type,
  }
}

export function toItemView(context: Context, item: Item): Record<string, unknown> {
  const institution = context.institution(item.institutionId)
  return {
    item_id: item.itemId,
    institution_id: item.institutionId,
    institution_name: institution?.name ?? null,
    webhook: item.webhook,
    auth_method: null,
    error: item.error === null ? null : itemFailure(item.error).toBody(hashId(15, item.itemId, 'error')),
    available_products: (institution?.products ?? []).filter((product) => !item.products.includes(product)),
    billed_products: item.products,
    products: item.products,
    consented_products: item.products,
    consent_expiration_time: null,
    update_type: 'background',
  }
}

export function toInstitutionView(institution: SimulatedInstitution, withMetadata: boolean): Record<string, unknown> {
  return {
    institution_id: institution.id,
    name: institution.name,
    products: institution.products,
    country_codes: [institution.country],
    routing_numbers: institution.routingNumbers,
    dtc_numbers: [],
    oauth: institution.oauth,
    ...(withMetadata ? { url: institution.url, primary_color: institution.color, logo: null } : {}),
  }
}

export function toTransactionView(account: Account | undefined, entry: Transaction): Record<string, unknown> {
  return {
    account_id: entry.accountId,
    account_owner: null,
    amount: toAmount(entry.cents),
    iso_currency_code: account?.currency ?? 'USD',
    unofficial_currency_code: null,
    check_number: null,
    counterparties: entry.merchant === null ? [] : [toCounterparty(entry.merchant)],
    date: entry.day,
    datetime: null,
    authorized_date: entry.authorizedDay,
    authorized_datetime: null,
    location: {
      address: null,
      city: null,
      region: null,
      postal_code: null,
      country: null,
      lat: null,
      lon: null,
      store_number: null,
    },
    name: entry.name,
    merchant_name: entry.merchant,
    merchant_entity_id: entry.merchant === null ? null : hashId(37, 'merchant', entry.merchant),
    logo_url: null,
    website: null,
    payment_meta: {
      by_order_of: null,
      payee: null,
      payer: null,
      payment_method: null,
      payment_processor: null,
      ppd_id: null,
      reason: null,
      reference_number: null,
    },
    payment_channel: entry.channel,
    pending: entry.pending,
    pending_transaction_id: entry.pendingId,
    personal_finance_category: { primary: entry.primary, detailed: entry.detailed, confidence_level: 'HIGH' },
    personal_finance_category_icon_url: `https://plaid-category-icons.plaid.com/PFC_${entry.primary}.png`,
    transaction_id: entry.id,
    transaction_code: null,
    transaction_type: entry.channel === 'online' ? 'digital' : entry.channel === 'in store' ? 'place' : 'unresolved',
  }
}

export function toAmount(cents: number): number
export function toAmount(cents: number | null): number | null
export function toAmount(cents: number | null): number | null {
  return cents === null ? null : cents / 100
}

function toCounterparty(merchant: string): Record<string, unknown> {
  return {
    name: merchant,
    type: 'merchant',
    logo_url: null,
    website: null,
    entity_id: hashId(37, 'merchant', merchant),
    confidence_level: 'HIGH',
  }
}
