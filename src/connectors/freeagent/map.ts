import type { AccountStatus } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { kindAndId, lastPart } from './rows.ts'
import { type CodeRule, toCodeRule } from './type-table.ts'
import type { AccountWire, PostingWire, TransactionWire } from './wire.ts'

/** Rules for the sub-accounts of 750 by the type of their bank account. */
const BANK_RULES: ReadonlyMap<string, CodeRule> = new Map([
  ['StandardBankAccount', { class: 'ASSET', type: 'BANK', subType: '', isSure: true }],
  ['EcommerceAccount', { class: 'ASSET', type: 'BANK', subType: '', isSure: true }],
  ['PaypalAccount', { class: 'ASSET', type: 'BANK', subType: 'PAYPAL', isSure: true }],
  ['CreditCardAccount', { class: 'LIABILITY', type: 'CREDIT_CARD', subType: '', isSure: true }],
])

const BANK_STATUSES: Readonly<Record<string, AccountStatus>> = { active: 'ACTIVE', hidden: 'ARCHIVED' }

/**
 * FreeAgent's categories have no class and no type: the nominal code decides, or the bank account of the category. They
 * have no status either, since an unused one is deleted: listed ones are active, unless their bank account is hidden.
 */
export const accountMapping = mapping<AccountWire, AccountingAccount>(4, {
  origId: ({ category }) => lastPart(category.url),
  number: ({ category }) => category.nominal_code ?? '',
  name: ({ category }) => category.description ?? '',
  currency: (account, context) => toCurrency(account.bankAccount?.currency ?? account.company.currency, context),
  description: () => '',
  classApp: (account) => account.group,
  classSystem: (account) => ruleOf(account).class,
  typeApp: ({ category }) => category.group_description ?? '',
  typeSystem: (account, context) => {
    const rule = ruleOf(account)
    if (!rule.isSure) context.unmapped('typeSystem', account.category.nominal_code ?? '')
    return refineByName(rule, account.category.description ?? '').type
  },
  subTypeApp: (account) => account.bankAccount?.type ?? '',
  subTypeSystem: (account, context) => {
    const word = account.bankAccount?.type ?? ''
    if (word !== '' && !BANK_RULES.has(word)) context.unmapped('subTypeSystem', word)
    return refineByName(ruleOf(account), account.category.description ?? '').subType
  },
  statusApp: (account) => account.bankAccount?.status ?? '',
  statusSystem: (account, context) => {
    const word = account.bankAccount?.status ?? ''
    if (word === '') return 'ACTIVE'
    const known = BANK_STATUSES[word]
    if (!known) context.unmapped('statusSystem', word)
    return known ?? 'UNKNOWN'
  },
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: ({ transaction }) => lastPart(transaction.url),
  entryId: (posting) => posting.entryId,
  accountOrigId: ({ transaction }) => lastPart(transaction.category),
  postedOn: ({ transaction }) => parseDay(transaction.dated_on),
  document: ({ transaction }) => (transaction.source_item_url ? kindAndId(transaction.source_item_url) : ''),
  description: ({ transaction }) => transaction.description ?? '',
  counterparty: () => '',
  debit: ({ transaction }) => (toAmount(transaction).startsWith('-') ? null : toAmount(transaction)),
  credit: ({ transaction }) => (toAmount(transaction).startsWith('-') ? absolute(toAmount(transaction)) : null),
  currency: (posting, context) => toCurrency(posting.company.currency, context),
  sourceType: ({ transaction }) => kindAndId(transaction.source_item_url ?? '').split('/')[0] ?? '',
})

/** Debit-positive amount. Throws `RangeError` for a value that is no number. */
export function toAmount({ debit_value }: TransactionWire): Decimal {
  const amount = toDecimal(debit_value)
  if (amount === null) throw new RangeError('no amount')
  return amount
}

function ruleOf({ category, group, bankAccount, company }: AccountWire): CodeRule {
  return BANK_RULES.get(bankAccount?.type ?? '') ?? toCodeRule(category.nominal_code ?? '', group, company.type ?? '')
}

function toCurrency(word: string | null | undefined, context: MapContext): string {
  if (/^[A-Za-z]{3}$/.test(word ?? '')) return (word ?? '').toUpperCase()
  if (word) context.unmapped('currency', word)
  return ''
}
