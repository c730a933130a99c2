import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { type CategoryRule, findCategoryRule, type Refinement } from './type-table.ts'
import type { AccountWire, LedgerLine, PostingWire } from './wire.ts'

const ZERO: Decimal = add()

/** Row types of the printed chart's layout, which never have postings. */
const LAYOUT_TYPES: ReadonlySet<string> = new Set(['Heading', 'Total', 'Begin-Total', 'End-Total'])

/** Headings and totals are kept, as `NON_POSTING`: whatever their category, nothing is posted to them. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: ({ account }) => account.id,
  number: ({ account }) => account.number ?? '',
  name: ({ account }) => account.displayName ?? '',
  currency: ({ currencyCode }, context) => toCurrency(currencyCode, context),
  description: () => '',
  classApp: ({ account }) => unescapeName(account.category),
  classSystem: ({ account }, context): AccountClass => {
    const rule = ruleOf(account)
    const word = unescapeName(account.category)
    if (!rule && word !== '') context.unmapped('classSystem', word)
    return isLayout(account) ? 'NON_POSTING' : (rule?.class ?? 'UNKNOWN')
  },
  typeApp: ({ account }) => unescapeName(account.accountType),
  typeSystem: ({ account }, context): AccountType => {
    if (isLayout(account)) return 'OTHER'
    const word = unescapeName(account.accountType)
    if (word !== '' && word !== 'Posting') context.unmapped('typeSystem', word)
    return refineByName(ruleByType(account), account.displayName ?? '').type
  },
  subTypeApp: ({ account }) => account.subCategory ?? '',
  subTypeSystem: ({ account }, context) => {
    if (isLayout(account)) return ''
    const word = (account.subCategory ?? '').trim()
    const refinement = refine(account)
    if (!refinement && word !== '') context.unmapped('subTypeSystem', word)
    return refineByName(ruleByType(account), account.displayName ?? '').subType
  },
  statusApp: ({ account }) => (typeof account.blocked === 'boolean' ? String(account.blocked) : ''),
  statusSystem: ({ account }) => {
    if (typeof account.blocked !== 'boolean') return 'UNKNOWN'
    return account.blocked ? 'ARCHIVED' : 'ACTIVE'
  },
})

/** The API has no counterparty; the description often names one. */
export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: ({ line }) => String(line.id),
  entryId: ({ entryNumber }) => String(entryNumber),
  accountOrigId: ({ line }) => line.accountId,
  postedOn: ({ line }) => parseDay(line.postingDate),
  document: ({ line }) => line.documentNumber ?? '',
  description: ({ line }) => line.description ?? '',
  counterparty: () => '',
  debit: ({ line }) => amountOn('debit', line),
  credit: ({ line }) => amountOn('credit', line),
  currency: ({ currencyCode }, context) => toCurrency(currencyCode, context),
  sourceType: ({ line }) => unescapeName(line.documentType),
})

/**
 * Debit-positive amount. A correction can be posted as a negative debit, which is a credit. Throws `RangeError` for a
 * value that is no number.
 */
export function toAmount(line: LedgerLine): Decimal {
  return add(toDecimal(line.debitAmount) ?? ZERO, negate(toDecimal(line.creditAmount) ?? ZERO))
}

/** Enum names are escaped as XML names: `Cost_x0020_of_x0020_Goods_x0020_Sold`; the blank one is `_x0020_`. */
function unescapeName(name: string | null | undefined): string {
  if (!name) return ''
  return (
    name.includes('_x')
      ? name.replace(/_x([0-9A-Fa-f]{4})_/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      : name
  ).trim()
}

function ruleOf(account: AccountWire['account']): CategoryRule | null {
  return findCategoryRule(unescapeName(account.category))
}

function refine(account: AccountWire['account']): Refinement | null {
  return ruleOf(account)?.refine((account.subCategory ?? '').trim()) ?? null
}

/** Type rule by Business Central's category and account type, without the account's name. */
function ruleByType(account: AccountWire['account']): { type: AccountType; subType?: string } {
  return { type: ruleOf(account)?.type ?? 'OTHER', ...refine(account) }
}

function isLayout(account: AccountWire['account']): boolean {
  return LAYOUT_TYPES.has(unescapeName(account.accountType))
}

function toCurrency(code: string | null, context: MapContext): string {
  const word = code ?? ''
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  if (word !== '') context.unmapped('currency', word)
  return ''
}

function amountOn(side: 'debit' | 'credit', line: LedgerLine): Decimal | null {
  const amount = toAmount(line)
  if (amount === ZERO) return null
  return amount.startsWith('-') === (side === 'credit') ? absolute(amount) : null
}
