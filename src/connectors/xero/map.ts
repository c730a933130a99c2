import type { AccountClass, AccountStatus, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { TYPE_OF_CLASS, type TypeRule } from '../contract/type-table.ts'
import { findByName, type NameFinding } from '../toolkit/names/account-names.ts'
import { toPostingDay } from './dates.ts'
import { findSystemAccount, findTypeRule, isKnownBankKind, isKnownReportingCode, subTypeOfReportingCode } from './type-table.ts'
import type { AccountWire, PostingWire } from './wire.ts'

const CLASSES: ReadonlyMap<string, AccountClass> = new Map<string, AccountClass>([
  ['ASSET', 'ASSET'],
  ['LIABILITY', 'LIABILITY'],
  ['EQUITY', 'EQUITY'],
  ['REVENUE', 'INCOME'],
  ['EXPENSE', 'EXPENSE'],
])

const STATUSES: ReadonlyMap<string, AccountStatus> = new Map<string, AccountStatus>([
  ['ACTIVE', 'ACTIVE'],
  ['ARCHIVED', 'ARCHIVED'],
  ['DELETED', 'DELETED'],
])

/**
 * Class and type by Type: Xero's Class is ASSET for every bank account, credit cards too, and only `classApp` keeps it.
 */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: ({ Account }) => Account.AccountID,
  number: ({ Account }) => Account.Code ?? '',
  name: ({ Account }) => Account.Name ?? '',
  currency: ({ Account, Organisation }, context) => toCurrency(Account.CurrencyCode || Organisation.BaseCurrency, context),
  description: ({ Account }) => Account.Description ?? '',
  classApp: ({ Account }) => Account.Class ?? '',
  classSystem: (wire, context) => {
    const byClass = classOf(wire, context)
    return ruleOf(wire)?.class ?? byClass
  },
  typeApp: ({ Account }) => Account.Type ?? '',
  typeSystem: (wire, context) => {
    const word = wire.Account.Type ?? ''
    const rule = ruleOf(wire)
    if (rule) return typeOf(wire, rule)
    if (word !== '') context.unmapped('typeSystem', word)
    return TYPE_OF_CLASS[CLASSES.get(wire.Account.Class ?? '') ?? 'UNKNOWN']
  },
  subTypeApp: ({ Account }) => Account.SystemAccount || bankKindOf(Account) || Account.ReportingCode || '',
  subTypeSystem: (wire, context) => {
    const { Account } = wire
    reportUnknownWords(wire, context)
    const rule = ruleOf(wire)
    if (!rule) return findSystemAccount(Account.SystemAccount ?? '')?.subType ?? ''
    const ofCode = subTypeOfReportingCode(Account.ReportingCode ?? '', typeOf(wire, rule))
    return (
      findSystemAccount(Account.SystemAccount ?? '')?.subType ?? rule.subType ?? (ofCode || (findByAccountName(wire, rule)?.subType ?? ''))
    )
  },
  statusApp: ({ Account }) => Account.Status ?? '',
  statusSystem: ({ Account }, context) => {
    const word = Account.Status ?? ''
    const status = STATUSES.get(word)
    if (!status && word !== '') context.unmapped('statusSystem', word)
    return status ?? 'UNKNOWN'
  },
})

/** Both kinds of journals are in the organisation's base currency. */
export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: (posting) => toPostingId(posting),
  entryId: (posting) => entryIdOf(posting),
  accountOrigId: (posting) => posting.Line.AccountID,
  postedOn: (posting) => toPostingDay('Journal' in posting ? posting.Journal.JournalDate : posting.ManualJournal.Date),
  document: (posting) => ('Journal' in posting ? String(posting.Journal.JournalNumber) : ''),
  description: (posting) =>
    posting.Line.Description || ('Journal' in posting ? posting.Journal.Reference : posting.ManualJournal.Narration) || '',
  counterparty: () => '',
  debit: (posting) => amountOn('debit', posting),
  credit: (posting) => amountOn('credit', posting),
  currency: (posting, context) => toCurrency(posting.Organisation.BaseCurrency, context),
  sourceType: (posting) => ('Journal' in posting ? (posting.Journal.SourceType ?? '') : 'MANJOURNAL'),
})

/** Posting id: lines of a manual journal have no id and are identified by their position. */
export function toPostingId(posting: PostingWire): string {
  return `${entryIdOf(posting)}:${'Journal' in posting ? posting.Line.JournalLineID : posting.position}`
}

function entryIdOf(posting: PostingWire): string {
  return 'Journal' in posting ? posting.Journal.JournalID : posting.ManualJournal.ManualJournalID
}

function ruleOf({ Account }: AccountWire): TypeRule | null {
  return findTypeRule(Account.Type ?? '', Account.BankAccountType ?? '')
}

function typeOf({ Account }: Pick<AccountWire, 'Account'>, rule: TypeRule): AccountType {
  const finer = findSystemAccount(Account.SystemAccount ?? '')?.type
  return finer?.[0] === rule.class ? finer[1] : (findByAccountName({ Account }, rule)?.type ?? rule.type)
}

/** Rule for the system accounts of Xero, by their SystemAccount value, whatever their name. */
function findByAccountName({ Account }: Pick<AccountWire, 'Account'>, rule: TypeRule): NameFinding | null {
  return Account.SystemAccount ? null : findByName(Account.Name ?? '', rule.type)
}

function classOf({ Account }: AccountWire, context: MapContext): AccountClass {
  const word = Account.Class ?? ''
  const known = CLASSES.get(word)
  if (!known && word !== '') context.unmapped('classSystem', word)
  return known ?? 'UNKNOWN'
}

/** Kind of a bank account; ignored for other accounts, whatever its value. */
function bankKindOf(account: AccountWire['Account']): string {
  const word = account.BankAccountType ?? ''
  return account.Type === 'BANK' && word !== 'NONE' ? word : ''
}

function reportUnknownWords({ Account }: AccountWire, context: MapContext): void {
  const { SystemAccount: system, BankAccountType: bank, ReportingCode: code } = Account
  if (system && !findSystemAccount(system)) context.unmapped('subTypeSystem', system)
  if (bank && !isKnownBankKind(bank)) context.unmapped('subTypeSystem', bank)
  if (code && !isKnownReportingCode(code)) context.unmapped('subTypeSystem', code)
}

function toCurrency(word: string | null | undefined, context: MapContext): string {
  if (!word) return ''
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  context.unmapped('currency', word)
  return ''
}

function amountOn(side: 'debit' | 'credit', posting: PostingWire): Decimal | null {
  const amount = toDecimal('Journal' in posting ? posting.Line.NetAmount : posting.Line.LineAmount)
  if (amount === null || amount === '0') return null
  return amount.startsWith('-') === (side === 'credit') ? absolute(amount) : null
}
