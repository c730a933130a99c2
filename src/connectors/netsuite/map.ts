import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { findRefinement, findTypeRule, type Refinement } from './type-table.ts'
import type { AccountWire, LineRow, PostingWire } from './wire.ts'

const ZERO: Decimal = add()

/** Summary accounts are kept, as `NON_POSTING`: they add up their sub-accounts and take no posting. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: ({ account }) => String(account.id),
  number: ({ account }) => account.acctnumber ?? '',
  name: ({ account }) => nameOf(account),
  currency: ({ currency }, context) => toCurrency(currency, context),
  description: ({ account }) => account.description ?? '',
  classApp: () => '',
  classSystem: ({ account }): AccountClass =>
    account.issummary === 'T' ? 'NON_POSTING' : (findTypeRule(account.accttype ?? '')?.class ?? 'UNKNOWN'),
  typeApp: ({ account }) => account.accttype ?? '',
  typeSystem: ({ account }, context): AccountType => {
    const word = account.accttype ?? ''
    const rule = findTypeRule(word)
    if (!rule && word !== '') context.unmapped('typeSystem', word)
    return account.issummary === 'T' ? 'OTHER' : refineByName(ruleByType(account), nameOf(account)).type
  },
  subTypeApp: ({ account }) => account.sspecacct ?? '',
  subTypeSystem: ({ account }, context) => {
    const word = account.sspecacct ?? ''
    const refinement = refine(account)
    if (!refinement && word !== '') context.unmapped('subTypeSystem', word)
    return account.issummary === 'T' ? '' : refineByName(ruleByType(account), nameOf(account)).subType
  },
  statusApp: ({ account }) => account.isinactive ?? '',
  statusSystem: ({ account }, context) => {
    const word = account.isinactive ?? ''
    if (word === 'F') return 'ACTIVE'
    if (word === 'T') return 'ARCHIVED'
    if (word !== '') context.unmapped('statusSystem', word)
    return 'UNKNOWN'
  },
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: ({ line }) => toPostingId(line),
  entryId: ({ line }) => String(line.transaction),
  accountOrigId: ({ line }) => String(line.account),
  postedOn: ({ line }) => parseDay(line.trandate),
  document: ({ line }) => line.tranid ?? '',
  description: ({ line }) => line.linememo ?? line.memo ?? '',
  counterparty: ({ line }) => line.entityname ?? '',
  debit: ({ line }) => amountOn('debit', line),
  credit: ({ line }) => amountOn('credit', line),
  currency: ({ currency }, context) => toCurrency(currency, context),
  sourceType: ({ line }) => line.type ?? '',
})

/** Line ids are numbered within their transaction, from 0. */
export function toPostingId(line: LineRow): string {
  return `${line.transaction}:${line.transactionline}`
}

/** Debit-positive amount. Throws `RangeError` for a value that is no number. */
export function toAmount(line: LineRow): Decimal {
  return add(toDecimal(line.debit) ?? ZERO, negate(toDecimal(line.credit) ?? ZERO))
}

/** `accountsearchdisplayname` begins with the number where accounts have numbers. */
function withoutNumber(account: AccountWire['account']): string {
  const shown = account.accountsearchdisplayname ?? account.fullname ?? ''
  const number = account.acctnumber ?? ''
  return number !== '' && shown.startsWith(`${number} `) ? shown.slice(number.length + 1) : shown
}

function nameOf(account: AccountWire['account']): string {
  return account.accountsearchdisplaynamecopy ?? withoutNumber(account)
}

/** Type rule by NetSuite's account type and special account, without the account's name. */
function ruleByType(account: AccountWire['account']): { type: AccountType; subType?: string } {
  return { type: 'OTHER', ...findTypeRule(account.accttype ?? ''), ...refine(account) }
}

function refine(account: AccountWire['account']): Refinement | null {
  return findRefinement(account.accttype ?? '', account.sspecacct ?? '')
}

function toCurrency(symbol: string | null, context: MapContext): string {
  const word = symbol ?? ''
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  if (word !== '') context.unmapped('currency', word)
  return ''
}

function amountOn(side: 'debit' | 'credit', line: LineRow): Decimal | null {
  const amount = toAmount(line)
  if (amount === ZERO) return null
  return amount.startsWith('-') === (side === 'credit') ? absolute(amount) : null
}
