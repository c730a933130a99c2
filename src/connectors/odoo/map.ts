import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { add, type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { TYPE_OF_CLASS } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { positive } from '../toolkit/values/raw-values.ts'
import { findOwnName } from './own-names.ts'
import { findClass, findNewerType, findNonTradeRule, findTypeRule, type TypeRule } from './type-table.ts'
import type { AccountWire, LineWire } from './wire.ts'

/** Class and type by account type; `internal_group` decides only for an unknown type. */
export const toAccount = mapping<AccountWire, AccountingAccount>(5, {
  origId: (account) => String(account.id),
  number: (account) => account.code || '',
  name: (account) => account.name,
  currency: (account, context) => toCurrency(account.currency_id || account.companyCurrency, context),
  description: (account) => account.description || account.note || '',
  classApp: (account) => groupOf(account),
  classSystem: (account, context) => {
    const group = groupOf(account)
    const rule = findRule(account)
    const known = rule?.class ?? classOf(account)
    if (known === 'UNKNOWN' || (group !== '' && !findClass(group))) context.unmapped('classSystem', group)
    return known
  },
  typeApp: (account) => typeWord(account),
  typeSystem: (account, context) => {
    const rule = findRule(account)
    if (rule) return refine(rule, account).type
    context.unmapped('typeSystem', typeWord(account))
    return TYPE_OF_CLASS[classOf(account)]
  },
  subTypeApp: () => '',
  subTypeSystem: (account) => {
    const rule = findRule(account)
    return rule ? refine(rule, account).subType : ''
  },
  statusApp: (account) => {
    if (account.active === false) return 'archived'
    if (account.deprecated === true) return 'deprecated'
    return isStatusKnown(account) ? 'active' : ''
  },
  statusSystem: (account) => {
    if (account.active === false || account.deprecated === true) return 'ARCHIVED'
    return isStatusKnown(account) ? 'ACTIVE' : 'UNKNOWN'
  },
})

/** Where reversals are kept as negative amounts, a negative debit is a credit. */
export const toTransaction = mapping<LineWire, AccountingTransaction>(1, {
  origId: (line) => String(line.id),
  entryId: (line) => String(line.move.id),
  accountOrigId: (line) => String(line.account_id[0]),
  postedOn: (line) => parseDay(line.move.date),
  document: (line) => line.move.name || '',
  description: (line) => line.name || line.move.ref || '',
  counterparty: (line) => displayName(line.partner_id),
  debit: (line) => positive(netOf(line)),
  credit: (line) => positive(negate(netOf(line))),
  currency: (line, context) => toCurrency(line.company_currency_id, context),
  sourceType: (line) => line.move.move_type || line.move.type || '',
})

function isStatusKnown({ active, deprecated }: AccountWire): boolean {
  return typeof active === 'boolean' || typeof deprecated === 'boolean'
}

function findRule(account: AccountWire): TypeRule | undefined {
  const rule = findTypeRule(newerType(account))
  return rule && account.non_trade === true ? findNonTradeRule(rule) : rule
}

/** The type in the words of 16 and later; empty for an older one that has none there. */
function newerType({ account_type: word, userType }: AccountWire): string {
  return (userType ? findNewerType(userType) : word) || ''
}

function refine(rule: TypeRule, account: AccountWire): { type: AccountType; subType: string } {
  const own = findOwnName(newerType(account), account.name)
  return own ? { type: own.type ?? rule.type, subType: own.subType ?? '' } : refineByName(rule, account.name)
}

function typeWord(account: AccountWire): string {
  return account.account_type || account.userType?.name || ''
}

function groupOf(account: AccountWire): string {
  return account.internal_group || account.userType?.internal_group || ''
}

/** Class by group; for an unknown one, by the word before the first `_` of the type, as in Odoo itself. */
function classOf(account: AccountWire): AccountClass {
  return findClass(groupOf(account)) ?? findClass((account.account_type || '').split('_')[0] ?? '') ?? 'UNKNOWN'
}

/** Odoo's currencies are named by their ISO codes; units of a company's own (points, coins) are not currencies. */
function toCurrency(reference: AccountWire['currency_id'], context: MapContext): string {
  const word = displayName(reference)
  if (/^[A-Z]{3}$/.test(word)) return word
  if (word !== '') context.unmapped('currency', word)
  return ''
}

function displayName(reference: AccountWire['currency_id']): string {
  return Array.isArray(reference) ? reference[1] || '' : ''
}

function netOf(line: LineWire): Decimal | null {
  const [debit, credit] = [toDecimal(line.debit), toDecimal(line.credit)]
  if (debit === null || credit === null) return debit ?? negate(credit)
  return add(debit, negate(credit))
}
