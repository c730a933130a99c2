import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankTransaction } from '../../model/records/bank-transaction.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { BANK_ACCOUNT_TAXONOMY } from '../../model/records/banking.ts'
import type { Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { type AnyMapping, bankAccountMapping, type MapContext, type Mapping, mapping } from '../contract/mapping.ts'
import { partsOf, valueAt } from './pointers.ts'
import type { AccountList, Profile, TransactionList } from './profile.ts'
import {
  type Read,
  readAmount,
  readCurrency,
  readDate,
  readEnum,
  readFlag,
  readNumber,
  readRate,
  readText,
  readTimestamp,
} from './rules.ts'
import { LIST, type RowWire } from './wire.ts'

type Reads<Model> = { readonly [Field in keyof Model]-?: Read<Model[Field]> }

/** The mapping that a profile's account lists describe: a function per field, made of the list's rule. */
export function accountMapping(profile: Profile): AnyMapping {
  return ofLists(profile.accounts, accountReads, (fields) =>
    bankAccountMapping<RowWire>(profile.mapVersion, ['actualBalanceDate', 'sourceUpdatedDate'], fields),
  )
}

export function transactionMapping(profile: Profile): AnyMapping {
  return ofLists(profile.transactions, transactionReads, (fields) => mapping<RowWire, BankTransaction>(profile.mapVersion, fields))
}

function accountReads({ map, id }: AccountList): Reads<BankAccount> {
  const currency = readCurrency(map.currency)
  const amount = (rule: AccountList['map']['amountDue']) => readAmount(rule, currency)
  const status = readEnum<BankAccount['accountStatusSystem']>(map.accountStatusSystem, 'accountStatusSystem', 'ACTIVE')
  const kind = readEnum(map.kind, 'kind', 'Other/Unknown')
  const balanceDate = readTimestamp(map.actualBalanceDate)
  const lender = readText(map.lender)
  return {
    origId: (row) => rowId(row, id) ?? '',
    providerName: readText(map.providerName),
    accountName: readText(map.accountName),
    accountNumber: readNumber(map.accountNumber),
    accountStatusSystem: status,
    userAccountClassification: readEnum<'BUSINESS' | 'PERSONAL'>(map.userAccountClassification, 'userAccountClassification', null),
    kind: (row, context) => toKind(kind(row, context)),
    interestRate: readRate(map.interestRate),
    availableCredit: amount(map.availableCredit),
    dueDate: readTimestamp(map.dueDate),
    maturityAmount: amount(map.maturityAmount),
    maturityDate: readTimestamp(map.maturityDate),
    minimumAmountDue: amount(map.minimumAmountDue),
    totalCreditLine: amount(map.totalCreditLine),
    originalLoanAmount: amount(map.originalLoanAmount),
    lender: (row, context) => lender(row, context) || null,
    amountDue: amount(map.amountDue),
    principalBalance: amount(map.principalBalance),
    currency,
    actualBalance: amount(map.actualBalance),
    actualBalanceDate: (row, context) => balanceDate(row, context) ?? toOffsetTimestamp(context.fetchedAt),
    sourceUpdatedDate: readTimestamp(map.sourceUpdatedDate),
  }
}

/** Where the row names no account it is the one that was asked for, which stands beside it. */
export const ASKED_ACCOUNT = '@account'

function transactionReads(list: TransactionList): Reads<BankTransaction> {
  const { map } = list
  const currency = readCurrency(map.currency)
  const amount = readAmount(map.amount, currency)
  const account = readText(map.accountOrigId)
  const isPending = readFlag(map.isPending)
  const posted = readDate(map.postedOn)
  const happened = readDate(map.transactionOn)
  return {
    origId: (row) => transactionId(list, row) ?? '',
    accountOrigId: (row, context) => account(row, context) || String(valueAt(row, [ASKED_ACCOUNT]) ?? ''),
    postedOn: (row, context) => (isPending(row, context) ? null : posted(row, context)),
    transactionOn: (row, context) => happened(row, context) ?? (isPending(row, context) ? posted(row, context) : null),
    amount: (row, context) => required(amount(row, context)),
    currency,
    description: readText(map.description),
    counterparty: readText(map.counterparty),
    category: readText(map.category),
    isPending,
    runningBalance: readAmount(map.runningBalance, currency),
  }
}

/** The id that a list's pointer leads to; null for what cannot be one. */
export function rowId(row: Json, pointer: string): string | null {
  const value = valueAt(row, partsOf(pointer))
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const id = String(value)
  // Ids are put into paths, where these two mean something else.
  return id === '' || id === '.' || id === '..' || id.length > 300 ? null : id
}

export function transactionId({ id, idsPerAccount }: TransactionList, row: Json): string | null {
  const own = rowId(row, id)
  const account = valueAt(row, [ASKED_ACCOUNT])
  return own === null || !idsPerAccount ? own : `${String(account ?? '')}/${own}`
}

function ofLists<Model extends BankAccount | BankTransaction, List extends { name: string; map: object }>(
  lists: readonly List[],
  readsOf: (list: List) => Reads<Model>,
  toMapping: (fields: Mapping<RowWire, Model>) => AnyMapping,
): AnyMapping {
  const byName = new Map(lists.map((list) => [list.name, { reads: readsOf(list), rules: list.map as Readonly<Record<string, unknown>> }]))
  const listOf = (wire: RowWire) => {
    const list = byName.get(wire[LIST])
    if (!list) throw new RangeError('the profile has no such list any more')
    return list
  }
  const [first] = byName.values()
  const fields = Object.keys(first?.reads ?? {}).map((field) => [
    field,
    (wire: RowWire, context: MapContext) => listOf(wire).reads[field as keyof Model](wire.row as Json, context),
  ])
  return {
    ...toMapping(Object.fromEntries(fields) as Mapping<RowWire, Model>),
    describe: (field, wire: RowWire) => {
      const rule = byName.get(wire[LIST])?.rules[field]
      return rule === undefined ? `no rule of list ${wire[LIST]} in the profile` : `profile, list ${wire[LIST]}: ${JSON.stringify(rule)}`
    },
  }
}

const KINDS: ReadonlyMap<string, BankAccountKind> = new Map(
  Object.entries(BANK_ACCOUNT_TAXONOMY).flatMap(([type, codes]) =>
    Object.keys(codes).map((subType) => [`${type}/${subType}`, { type, subType } as BankAccountKind] as const),
  ),
)

function toKind(word: string): BankAccountKind {
  return KINDS.get(word) ?? { type: 'Other', subType: 'Unknown' }
}

function required(amount: Decimal | null): Decimal {
  if (amount === null) throw new RangeError('no amount')
  return amount
}

/** Made once for each list: rows are many. */
const known = new WeakMap<TransactionList, Reads<BankTransaction>>()

/** The day on which a transaction counts, `pending` for one that has none yet; null when it cannot be read. */
export function dayOfTransaction(list: TransactionList, row: Json): string | null {
  const reads = known.get(list) ?? transactionReads(list)
  known.set(list, reads)
  const context: MapContext = { fetchedAt: new Date(0), unmapped: () => undefined }
  try {
    if (reads.isPending(row, context)) return 'pending'
    return reads.postedOn(row, context) ?? reads.transactionOn(row, context)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
