import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { type Decimal, negate, toDecimal } from '../../model/values/decimal.ts'
import { toDay } from '../../model/values/timestamps.ts'
import { mapping } from '../contract/mapping.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { positive } from '../toolkit/values/raw-values.ts'
import { type FoundClass, findBalanceClass, findResultClass, findTypeByName } from './account-class.ts'
import type { AccountWire, LineWire, TypeWire } from './wire.ts'

export const toAccount = mapping<AccountWire, AccountingAccount>(4, {
  origId: (a) => String(a.id),
  number: (a) => a.code ?? '',
  name: (a) => a.name,
  currency: (a) => a['currency.']?.code ?? '',
  description: (a) => a.note ?? '',
  classApp: (a) => a.typePath[0]?.statement ?? '',
  classSystem: (a, context) => {
    const found = findClass(a)
    if (found.unknownWord !== undefined) context.unmapped('classSystem', found.unknownWord)
    return found.accountClass
  },
  typeApp: (a) => a.typePath[0]?.name ?? '',
  typeSystem: (a) => refine(a).type,
  subTypeApp: (a) => flagNames(a.typePath[0]).join(', '),
  subTypeSystem: (a) => refine(a).subType,
  statusApp: (a) => (a.active ? (a.closed ? 'closed' : 'active') : 'inactive'),
  statusSystem: (a) => (a.active && !(a.closed && isPosting(a)) ? 'ACTIVE' : 'ARCHIVED'),
})

/** A cancelled entry in Tryton repeats the lines with negative amounts: a negative debit is a credit. */
export const toTransaction = mapping<LineWire, AccountingTransaction>(1, {
  origId: (line) => String(line.id),
  entryId: (line) => String(line.move.id),
  accountOrigId: (line) => String(line.account),
  postedOn: (line) => toDay(line.move.date.year, line.move.date.month, line.move.date.day),
  document: (line) => line.move.post_number ?? line.move.number ?? '',
  description: (line) => line.description || line.move.description || '',
  counterparty: (line) => line['party.']?.name ?? '',
  debit: (line) => debitOf(line),
  credit: (line) => creditOf(line),
  currency: (line) => line['account.']?.['currency.']?.code ?? '',
  sourceType: (line) => line.move.origin?.split(',')[0] || line.move['journal.']?.type || '',
})

/** In charts required by law the name of an account may continue that of its parent (“sur emprunts”). */
const GOES_ON = /^(sur|dont|de|des|du|d.|aux?|pour|on|of) /i

/**
 * Refined by the account's name, unless it says only half. Fixed assets are not: those charts call what was bought and what was
 * written off of it alike.
 */
function refine(account: AccountWire): { type: AccountType; subType: string } {
  const type = findType(account.typePath, findClass(account).accountClass)
  return type === 'FIXED_ASSET' || GOES_ON.test(account.name) ? { type, subType: '' } : refineByName({ type }, account.name)
}

function debitOf(line: LineWire): Decimal | null {
  return positive(toDecimal(line.debit.decimal)) ?? positive(negate(toDecimal(line.credit.decimal)))
}

function creditOf(line: LineWire): Decimal | null {
  return positive(toDecimal(line.credit.decimal)) ?? positive(negate(toDecimal(line.debit.decimal)))
}

/** A view account has no type; the root of a chart has the root type, which belongs to no statement. */
function isPosting(account: AccountWire): boolean {
  return account.type !== null && account.typePath[0]?.statement !== null
}

/** Class by the position in the tree of types, as in the statements of Tryton. */
function findClass(account: AccountWire): FoundClass {
  const type = account.typePath[0]
  if (!isPosting(account)) return { accountClass: 'NON_POSTING' }
  if (type === undefined) return { accountClass: 'UNKNOWN', unknownWord: 'a type that is not listed' }
  switch (type.statement) {
    case 'off-balance':
      return { accountClass: 'NON_POSTING' }
    case 'balance':
      return findBalanceClass(account.typePath)
    case 'income':
      return findResultClass(account)
    default:
      return { accountClass: 'UNKNOWN', unknownWord: type.statement ?? '' }
  }
}

function findType(typePath: readonly TypeWire[], accountClass: AccountClass): AccountType {
  const type = typePath[0]
  switch (accountClass) {
    case 'ASSET':
      if (type?.receivable) return 'ACCOUNTS_RECEIVABLE'
      if (type?.stock) return 'INVENTORY'
      return findTypeByName(typePath, accountClass, 'OTHER_ASSET')
    case 'LIABILITY':
      if (type?.payable) return 'ACCOUNTS_PAYABLE'
      if (type?.debt) return 'OTHER_CURRENT_LIABILITY'
      return findTypeByName(typePath, accountClass, 'OTHER_LIABILITY')
    case 'EQUITY':
      return findTypeByName(typePath, accountClass, 'EQUITY')
    case 'INCOME':
      return findTypeByName(typePath, accountClass, 'INCOME')
    case 'EXPENSE':
      if (type?.stock) return 'COST_OF_GOODS_SOLD'
      return findTypeByName(typePath, accountClass, 'EXPENSE')
    default:
      return 'OTHER'
  }
}

const FLAGS = ['assets', 'receivable', 'stock', 'payable', 'debt', 'revenue', 'expense'] as const

function flagNames(type: TypeWire | undefined): string[] {
  return type === undefined ? [] : FLAGS.filter((flag) => type[flag])
}
