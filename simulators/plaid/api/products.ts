import type { Context } from '../context.ts'
import type { Item } from '../state.ts'
import { invalidField, PlaidFailure } from './failures.ts'

/** Every product that a request may name. Source: schema Products of https://github.com/plaid/plaid-openapi (2020-09-14) */
const PRODUCTS = new Set([
  ...['assets', 'auth', 'balance', 'balance_plus', 'beacon', 'credit_details', 'employment', 'identity', 'identity_match'],
  ...['identity_verification', 'income', 'income_verification', 'investments', 'investments_auth', 'layer', 'liabilities', 'pay_by_bank'],
  ...['payment_initiation', 'processor_identity', 'processor_payments', 'profile', 'protect_linked_bank', 'protect_transactions'],
  ...['recurring_transactions', 'signal', 'standing_orders', 'statements', 'transactions', 'transactions_refresh', 'transfer'],
  ...['cra_base_report', 'cra_cashflow_insights', 'cra_income_insights', 'cra_lend_score', 'cra_monitoring', 'cra_network_insights'],
  ...['cra_partner_insights', 'cra_plaid_credit_score'],
])

/**
 * Products that Link adds itself and cannot be initialized with.
 * Source: https://plaid.com/docs/api/link/#linktokencreate
 */
const NEVER_INITIALIZED = new Set(['balance'])

/** Throws INVALID_PRODUCT for an unknown product, or for one that Link cannot be initialized with. */
export function checkProducts(products: readonly string[]): void {
  const wrong = products.filter((product) => !PRODUCTS.has(product) || NEVER_INITIALIZED.has(product))
  if (wrong.length > 0) {
    throw new PlaidFailure(
      400,
      'INVALID_INPUT',
      'INVALID_PRODUCT',
      `client is not authorized to access the following products: ${JSON.stringify(wrong)}`,
    )
  }
}

/** For directory filters, which may name every product. */
export function checkKnownProducts(products: readonly string[] | null): void {
  const unknown = (products ?? []).filter((product) => !PRODUCTS.has(product))
  if (unknown.length > 0) throw invalidField(`products holds unknown values: ${JSON.stringify(unknown)}`)
}

/** Throws unless the bank offers `product` and the owner consented to it. */
export function requireProduct(context: Context, item: Item, product: string): void {
  if (!context.institution(item.institutionId)?.products.includes(product)) {
    throw new PlaidFailure(400, 'ITEM_ERROR', 'PRODUCTS_NOT_SUPPORTED', `the institution does not support ${product}`)
  }
  if (!item.products.includes(product)) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'ADDITIONAL_CONSENT_REQUIRED', `client does not have user consent to access ${product}`)
  }
}
