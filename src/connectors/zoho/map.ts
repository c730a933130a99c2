import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import type { TypeRule } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { findTypeRule, guessTypeRule } from './type-table.ts'
import type { AccountWire, PostingWire } from './wire.ts'

/** Zoho classifies an account by its type alone; class and sub type follow from it. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: (account) => account.account_id,
  number: (account) => account.account_code ?? '',
  name: (account) => account.account_name ?? '',
  currency: (account, context) => {
    if (!account.currency_code && account.currencyCode === null) context.unmapped('currency', `not told: ${account.account_type ?? ''}`)
    return toCurrency(account.currency_code || account.currencyCode, context)
  },
  description: (account) => account.description ?? '',
  classApp: () => '',
  classSystem: (account) => ruleOf(account).class,
  typeApp: (account) => account.account_type ?? '',
  typeSystem: (account, context) => {
    const word = account.account_type ?? ''
    if (word !== '' && !findTypeRule(word)) context.unmapped('typeSystem', word)
    return refineByName(ruleOf(account), account.account_name ?? '').type
  },
  subTypeApp: () => '',
  subTypeSystem: (account) => refineByName(ruleOf(account), account.account_name ?? '').subType,
  statusApp: (account) => (typeof account.is_active === 'boolean' ? String(account.is_active) : ''),
  statusSystem: (account) => {
    if (typeof account.is_active !== 'boolean') return 'UNKNOWN'
    return account.is_active ? 'ACTIVE' : 'ARCHIVED'
  },
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: (posting) => toPostingId(posting),
  entryId: (posting) => posting.journal.journal_id,
  accountOrigId: (posting) => posting.line.account_id,
  postedOn: (posting) => parseDay(posting.journal.journal_date),
  document: (posting) => posting.journal.entry_number ?? '',
  description: (posting) => posting.line.description || posting.journal.notes || posting.journal.reference_number || '',
  counterparty: (posting) => posting.line.customer_name ?? '',
  debit: (posting) => amountOn('debit', posting),
  credit: (posting) => amountOn('credit', posting),
  currency: (posting, context) => toCurrency(posting.journal.currency_code, context),
  sourceType: () => 'journal',
})

export function toPostingId(posting: PostingWire): string {
  return `${posting.journal.journal_id}:${posting.line.line_id}`
}

function ruleOf(account: AccountWire): TypeRule {
  const word = account.account_type ?? ''
  return findTypeRule(word) ?? guessTypeRule(word)
}

function toCurrency(word: string | null | undefined, context: MapContext): string {
  if (!word) return ''
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  context.unmapped('currency', word)
  return ''
}

/** A negative amount on one side is a positive one on the other. */
function amountOn(side: 'debit' | 'credit', { line }: PostingWire): Decimal | null {
  const amount = toDecimal(line.amount)
  if (amount === null || amount === '0') return null
  const isDebit = (line.debit_or_credit === 'debit') !== amount.startsWith('-')
  return isDebit === (side === 'debit') ? absolute(amount) : null
}
