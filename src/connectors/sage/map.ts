import type { AccountStatus, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import type { TypeRule } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { findGroupRule, findRefinement, findTypeRule, type Refinement, unrefined } from './type-table.ts'
import type { AccountWire, JournalLine, PostingWire } from './wire.ts'

const UNKNOWN: TypeRule = { class: 'UNKNOWN', type: 'OTHER' }

/** Class and type by account type: where Sage's group differs, only `classApp` keeps it. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: (account) => account.id,
  number: (account) => String(account.nominal_code ?? ''),
  name: (account) => nameOf(account),
  currency: (account, context) => toCurrency(account.base_currency, context),
  description: () => '',
  classApp: (account) => account.ledger_account_group?.id ?? '',
  classSystem: (account, context) => {
    const word = account.ledger_account_group?.id ?? ''
    if (word !== '' && !findGroupRule(word)) context.unmapped('classSystem', word)
    return toRule(account).class
  },
  typeApp: (account) => account.ledger_account_type?.id ?? '',
  typeSystem: (account, context) => {
    const word = account.ledger_account_type?.id ?? ''
    if (word !== '' && !findTypeRule(word)) context.unmapped('typeSystem', word)
    return refineByName(ruleByType(account), nameOf(account)).type
  },
  subTypeApp: (account) => account.control_name || (account.ledger_account_classification?.id ?? ''),
  subTypeSystem: (account, context) => {
    const refinement = refine(account)
    if (!refinement && account.control_name) context.unmapped('subTypeSystem', account.control_name)
    return refineByName(ruleByType(account), nameOf(account)).subType
  },
  statusApp: (account) => (typeof account.included_in_chart === 'boolean' ? `included_in_chart=${account.included_in_chart}` : ''),
  statusSystem: (account) => toStatus(account),
})

export const transactionMapping = mapping<PostingWire, AccountingTransaction>(1, {
  origId: (posting) => toPostingId(posting),
  entryId: (posting) => posting.journal.id,
  accountOrigId: (posting) => posting.line.ledger_account.id,
  postedOn: (posting) => parseDay(posting.journal.date),
  document: (posting) => posting.journal.reference ?? '',
  description: (posting) => posting.line.details || (posting.journal.description ?? ''),
  counterparty: () => '',
  debit: (posting) => onSide('debit', toAmount(posting.line)),
  credit: (posting) => onSide('credit', toAmount(posting.line)),
  currency: (posting, context) => toCurrency(posting.base_currency, context),
  sourceType: (posting) => posting.journal.transaction_type?.id ?? 'JOURNAL',
})

export function toPostingId(posting: PostingWire): string {
  return `${posting.journal.id}:${posting.line.id || `#${posting.position}`}`
}

/** Debit less credit, exactly. Throws `RangeError` when a side is not a number. */
export function toAmount(line: JournalLine): Decimal {
  const debit = toDecimal(line.debit)
  const credit = negate(toDecimal(line.credit))
  return add(...[debit, credit].filter((amount) => amount !== null))
}

function onSide(side: 'debit' | 'credit', amount: Decimal): Decimal | null {
  if (amount === '0') return null
  return amount.startsWith('-') === (side === 'credit') ? absolute(amount) : null
}

function toRule(account: AccountWire): TypeRule {
  return findTypeRule(account.ledger_account_type?.id ?? '') ?? findGroupRule(account.ledger_account_group?.id ?? '') ?? UNKNOWN
}

/** Refinement: a control name is a more reliable indication than the classification. */
function refine(account: AccountWire): Refinement | null {
  const type = account.ledger_account_type?.id ?? ''
  return findRefinement(type, account.control_name ?? '') ?? findRefinement(type, account.ledger_account_classification?.id ?? '')
}

/** Sage cannot archive: an account that is outside the chart and hidden everywhere counts as archived. */
function toStatus(account: AccountWire): AccountStatus {
  const isVisible = [
    account.visible_in_banking,
    account.visible_in_expenses,
    account.visible_in_journals,
    account.visible_in_other_payments,
    account.visible_in_other_receipts,
    account.visible_in_reporting,
    account.visible_in_sales,
  ].includes(true)
  if (account.included_in_chart === true || isVisible) return 'ACTIVE'
  return account.included_in_chart === false ? 'ARCHIVED' : 'UNKNOWN'
}

function toCurrency(currency: AccountWire['base_currency'], context: MapContext): string {
  const word = currency?.id ?? ''
  if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
  if (word !== '') context.unmapped('currency', word)
  return ''
}

function nameOf(account: AccountWire): string {
  return account.name ?? account.display_name ?? account.displayed_as ?? ''
}

/** Type rule by Sage's account type, without the account's name. */
function ruleByType(account: AccountWire): { type: AccountType; subType?: string } {
  return { type: toRule(account).type, ...(refine(account) ?? unrefined(account.ledger_account_type?.id ?? '')) }
}
