import type { AccountClass } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { TYPE_OF_CLASS } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { positive } from '../toolkit/values/raw-values.ts'
import { classOfType, findClass, findTypeOfGroup, findTypeRule, type TypeRule } from './type-table.ts'
import type { AccountWire, LedgerWire } from './wire.ts'

/** Class from the root of the tree, type within it from the account's own type; a group account has no entries. */
export const toAccount = mapping<AccountWire, AccountingAccount>(3, {
  origId: (account) => account.name,
  number: (account) => account.account_number ?? '',
  name: (account) => account.account_name,
  currency: (account, context) => toCurrency(account.account_currency, context),
  description: () => '',
  classApp: (account) => account.root_type ?? '',
  classSystem: (account, context) => {
    const word = account.root_type ?? ''
    if (account.is_group !== 1 && findClass(word) === undefined) context.unmapped('classSystem', word)
    return classOf(account)
  },
  typeApp: (account) => account.account_type ?? '',
  typeSystem: (account, context) => {
    const word = account.account_type ?? ''
    if (account.is_group !== 1 && word !== '' && classOfType(word) === undefined) context.unmapped('typeSystem', word)
    return refineByName(ruleByType(account), account.account_name).type
  },
  subTypeApp: () => '',
  subTypeSystem: (account) => refineByName(ruleByType(account), account.account_name).subType,
  statusApp: (account) => (typeof account.disabled === 'number' ? (account.disabled === 1 ? 'disabled' : 'enabled') : ''),
  statusSystem: (account) => (typeof account.disabled === 'number' ? (account.disabled === 1 ? 'ARCHIVED' : 'ACTIVE') : 'UNKNOWN'),
})

/** A negative amount on one side is a positive one on the other. */
export const toTransaction = mapping<LedgerWire, AccountingTransaction>(1, {
  origId: (line) => line.name,
  entryId: (line) => `${line.voucher_type}/${line.voucher_no}`,
  accountOrigId: (line) => line.account,
  postedOn: (line) => parseDay(line.posting_date),
  document: (line) => line.voucher_no,
  description: (line) => line.remarks ?? '',
  counterparty: (line) => line.party ?? '',
  debit: (line) => positive(netOf(line)),
  credit: (line) => positive(negate(netOf(line))),
  currency: (line, context) => toCurrency(line.companyCurrency, context),
  sourceType: (line) => line.voucher_type,
})

function classOf(account: AccountWire): AccountClass {
  if (account.is_group === 1) return 'NON_POSTING'
  return findClass(account.root_type ?? '') ?? classOfType(account.account_type ?? '') ?? 'UNKNOWN'
}

function findRule(account: AccountWire): TypeRule | undefined {
  return findTypeRule(classOf(account), account.account_type ?? '')
}

/**
 * Type rule by ERPNext's values, without the account's name. The default charts have no type for most accounts: there
 * the account's group decides.
 * Source: erpnext/accounts/doctype/account/chart_of_accounts/verified/standard_chart_of_accounts.py
 */
function ruleByType(account: AccountWire): TypeRule {
  const accountClass = classOf(account)
  return findRule(account) ?? { type: findTypeOfGroup(accountClass, account.parent_account ?? '') ?? TYPE_OF_CLASS[accountClass] }
}

function toCurrency(word: string | null | undefined, context: MapContext): string {
  if (word === null || word === undefined || word === '') return ''
  if (/^[A-Z]{3}$/.test(word)) return word
  context.unmapped('currency', word)
  return ''
}

function netOf(line: LedgerWire): Decimal | null {
  const [debit, credit] = [toDecimal(line.debit), toDecimal(line.credit)]
  if (debit === null || credit === null) return debit ?? negate(credit)
  return add(debit, negate(credit))
}
