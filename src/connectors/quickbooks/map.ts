import type { AccountClass } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { TYPE_OF_CLASS } from '../contract/type-table.ts'
import { SUB_TYPE_WORDS } from './sub-type-words.ts'
import { findTypeRule, type Refinement } from './type-table.ts'
import type { AccountWire, PostingWire } from './wire.ts'

const CLASSES: Readonly<Record<string, AccountClass>> = {
  Asset: 'ASSET',
  Liability: 'LIABILITY',
  Equity: 'EQUITY',
  Revenue: 'INCOME',
  Expense: 'EXPENSE',
}

/** Class and type by AccountType: where QuickBooks' Classification differs, only `classApp` keeps it. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(1, {
  origId: (account) => String(account.Id),
  number: (account) => account.AcctNum ?? '',
  name: (account) => account.Name ?? '',
  currency: (account, context) => toCurrency(account.CurrencyRef, context),
  description: (account) => account.Description ?? '',
  classApp: (account) => account.Classification ?? '',
  classSystem: (account, context) => {
    const byClassification = classOf(account, context)
    return findTypeRule(account.AccountType ?? '')?.class ?? byClassification
  },
  typeApp: (account) => account.AccountType ?? '',
  typeSystem: (account, context) => {
    const word = account.AccountType ?? ''
    const rule = findTypeRule(word)
    if (rule) return refine(account)?.type ?? rule.type
    if (word !== '') context.unmapped('typeSystem', word)
    return TYPE_OF_CLASS[CLASSES[account.Classification ?? ''] ?? 'UNKNOWN']
  },
  subTypeApp: (account) => account.AccountSubType ?? '',
  subTypeSystem: (account, context) => {
    const word = account.AccountSubType ?? ''
    const refinement = refine(account)
    if (!refinement && word !== '' && !SUB_TYPE_WORDS.has(word)) context.unmapped('subTypeSystem', word)
    return refinement?.subType ?? ''
  },
  statusApp: (account) => account.status ?? (typeof account.Active === 'boolean' ? String(account.Active) : ''),
  statusSystem: (account) => {
    if (account.status === 'Deleted') return 'DELETED'
    if (typeof account.Active !== 'boolean') return 'UNKNOWN'
    return account.Active ? 'ACTIVE' : 'ARCHIVED'
  },
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: (posting) => toPostingId(posting),
  entryId: (posting) => String(posting.JournalEntry.Id),
  accountOrigId: (posting) => String(posting.Line.JournalEntryLineDetail.AccountRef.value),
  postedOn: (posting) => parseDay(posting.JournalEntry.TxnDate),
  document: (posting) => posting.JournalEntry.DocNumber ?? '',
  description: (posting) => posting.Line.Description ?? posting.JournalEntry.PrivateNote ?? '',
  counterparty: (posting) => posting.Line.JournalEntryLineDetail.Entity?.EntityRef?.name ?? '',
  debit: (posting) => amountOn('Debit', posting),
  credit: (posting) => amountOn('Credit', posting),
  currency: (posting, context) => toCurrency(posting.JournalEntry.CurrencyRef, context),
  sourceType: () => 'JournalEntry',
})

/** Line ids are numbered within their entry, from 0. */
export function toPostingId(posting: PostingWire): string {
  return `${posting.JournalEntry.Id}:${posting.Line.Id ?? `#${posting.position}`}`
}

function classOf(account: AccountWire, context: MapContext): AccountClass {
  const word = account.Classification ?? ''
  const known = CLASSES[word]
  if (!known && word !== '') context.unmapped('classSystem', word)
  return known ?? 'UNKNOWN'
}

function refine(account: AccountWire): Refinement | null {
  return findTypeRule(account.AccountType ?? '')?.refine(account.AccountSubType ?? '') ?? null
}

function toCurrency(reference: AccountWire['CurrencyRef'], context: MapContext): string {
  const word = String(reference?.value ?? '')
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  if (word !== '') context.unmapped('currency', word)
  return ''
}

/** A negative amount on one side is a positive one on the other. */
function amountOn(side: 'Debit' | 'Credit', posting: PostingWire): Decimal | null {
  const amount = toDecimal(posting.Line.Amount)
  if (amount === null || amount === '0') return null
  const isDebit = (posting.Line.JournalEntryLineDetail.PostingType === 'Debit') !== amount.startsWith('-')
  return isDebit === (side === 'Debit') ? absolute(amount) : null
}
