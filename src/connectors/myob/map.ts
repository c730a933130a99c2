import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { mapping } from '../contract/mapping.ts'
import type { TypeRule } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { findClassificationRule, findTypeRule } from './type-table.ts'
import type { AccountWire, JournalLine, PostingWire } from './wire.ts'

const HEADER: TypeRule = { class: 'NON_POSTING', type: 'OTHER' }
const UNKNOWN: TypeRule = { class: 'UNKNOWN', type: 'OTHER' }

/**
 * Class and type by account type: where MYOB's classification differs, only `classApp` keeps it. A header is the sum of
 * the accounts below it and has no postings, so it belongs to no summed class.
 */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: (account) => account.UID,
  number: (account) => account.DisplayID ?? '',
  name: (account) => account.Name ?? '',
  currency: (account, context) => {
    const word = account.ForeignCurrency?.Code ?? account.baseCurrency
    if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
    if (word !== '') context.unmapped('currency', word)
    return ''
  },
  description: (account) => account.Description ?? '',
  classApp: (account) => account.Classification ?? '',
  classSystem: (account, context) => {
    const word = account.Classification ?? ''
    if (word !== '' && !findClassificationRule(word)) context.unmapped('classSystem', word)
    return ruleOf(account).class
  },
  typeApp: (account) => account.Type ?? '',
  typeSystem: (account, context) => {
    const word = account.Type ?? ''
    if (word !== '' && account.IsHeader !== true && !findTypeRule(word)) context.unmapped('typeSystem', word)
    return refineByName(ruleOf(account), account.Name ?? '').type
  },
  subTypeApp: () => '',
  subTypeSystem: (account) => refineByName(ruleOf(account), account.Name ?? '').subType,
  statusApp: (account) => (typeof account.IsActive === 'boolean' ? String(account.IsActive) : ''),
  statusSystem: (account) => {
    if (typeof account.IsActive !== 'boolean') return 'UNKNOWN'
    return account.IsActive ? 'ACTIVE' : 'ARCHIVED'
  },
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: (posting) => toPostingId(posting),
  entryId: (posting) => posting.journal.UID,
  accountOrigId: (posting) => posting.line.Account.UID,
  postedOn: (posting) => parseDay(posting.journal.DateOccurred),
  document: (posting) => posting.journal.DisplayID ?? '',
  description: (posting) => posting.line.LineDescription || (posting.journal.Description ?? ''),
  counterparty: () => '',
  debit: (posting) => (toAmount(posting.line).startsWith('-') ? null : toAmount(posting.line)),
  credit: (posting) => (toAmount(posting.line).startsWith('-') ? absolute(toAmount(posting.line)) : null),
  currency: (posting) => posting.baseCurrency,
  sourceType: (posting) => posting.journal.SourceTransaction?.TransactionType ?? posting.journal.JournalType ?? '',
})

export function toPostingId({ journal, position }: PostingWire): string {
  return `${journal.UID}:${position}`
}

/**
 * Debit-positive amount; a negative amount on one side is a positive one on the other. Throws `RangeError` for a value
 * that is no number.
 */
export function toAmount({ Amount, IsCredit }: JournalLine): Decimal {
  const amount = toDecimal(Amount)
  if (amount === null) throw new RangeError('no amount')
  return IsCredit ? negate(amount) : amount
}

function ruleOf(account: AccountWire): TypeRule {
  if (account.IsHeader === true) return HEADER
  return findTypeRule(account.Type ?? '') ?? findClassificationRule(account.Classification ?? '') ?? UNKNOWN
}
