import { BANK_ACCOUNT, type BankAccount } from '../../model/records/bank-account.ts'
import { BANK_TRANSACTION, type BankTransaction } from '../../model/records/bank-transaction.ts'
import { BANK_ACCOUNT_TAXONOMY, type BankAccountKind } from '../../model/records/banking.ts'
import type { Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { toOffsetTimestamp } from '../../model/values/timestamps.ts'
import { type AnyMapping, bankAccountMapping, type MapContext, type Mapping, mapping } from '../contract/mapping.ts'
import { partsOf, valueAt } from './pointers.ts'
import type { AccountList, Profile, TransactionList } from './profile.ts'
import { readsByKind } from './reads-by-kind.ts'
import { type Read, readAmount, readCurrency, readDate, readEnum, readFlag, readNumber, readText } from './rules.ts'
import { LIST, type RowWire } from './wire.ts'

/** Read functions by normalized field. */
type Reads = Readonly<Record<string, Read<unknown>>>

/** Mapping from a profile's account lists: a function per field, built from the list's rule. */
export function accountMapping(profile: Profile): AnyMapping {
  return ofLists<BankAccount, AccountList>(profile.accounts, accountReads, (fields) =>
    bankAccountMapping<RowWire>(profile.mapVersion, ['actualBalanceDate', 'sourceUpdatedDate'], fields),
  )
}

export function transactionMapping(profile: Profile): AnyMapping {
  return ofLists<BankTransaction, TransactionList>(profile.transactions, transactionReads, (fields) =>
    mapping<RowWire, BankTransaction>(profile.mapVersion, fields),
  )
}

function accountReads({ map, id }: AccountList): Reads {
  const currency = readCurrency(map.currency)
  const kind = readEnum(map.kind, 'kind', 'Other/Unknown')
  const byKind = readsByKind(BANK_ACCOUNT.properties, map, currency)
  return {
    ...byKind,
    origId: (row) => rowId(row, id) ?? '',
    accountNumber: readNumber(map.accountNumber),
    accountStatusSystem: readEnum(map.accountStatusSystem, 'accountStatusSystem', 'ACTIVE'),
    kind: (row, context) => toKind(kind(row, context)),
    currency,
    actualBalanceDate: (row, context) => byKind.actualBalanceDate?.(row, context) ?? toOffsetTimestamp(context.fetchedAt),
  }
}

/** Key under which the requested account is added to a row, for rows that name no account. */
export const ASKED_ACCOUNT = '@account'

function transactionReads(list: TransactionList): Reads {
  const { map } = list
  const currency = readCurrency(map.currency)
  const amount = readAmount(map.amount, currency)
  const account = readText(map.accountOrigId)
  return {
    ...readsByKind(BANK_TRANSACTION.properties, map, currency),
    origId: (row) => transactionId(list, row) ?? '',
    accountOrigId: (row, context) => account(row, context) || String(valueAt(row, [ASKED_ACCOUNT]) ?? ''),
    ...dayReads(map),
    amount: (row, context) => required(amount(row, context)),
    currency,
  }
}

/** Reads for the day of a transaction. */
function dayReads(map: TransactionList['map']) {
  const isPending = readFlag(map.isPending)
  const posted = readDate(map.postedOn)
  const happened = readDate(map.transactionOn)
  return {
    postedOn: (row: Json, context: MapContext) => (isPending(row, context) ? null : posted(row, context)),
    transactionOn: (row: Json, context: MapContext) => happened(row, context) ?? (isPending(row, context) ? posted(row, context) : null),
    isPending,
  }
}

/** Id at a list's pointer; null for a value that cannot be an id. */
export function rowId(row: Json, pointer: string): string | null {
  const value = valueAt(row, partsOf(pointer))
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const id = String(value)
  // Ids are inserted into paths, where `.` and `..` have a different meaning.
  return id === '' || id === '.' || id === '..' || id.length > 300 ? null : id
}

export function transactionId({ id, idsPerAccount }: TransactionList, row: Json): string | null {
  const own = rowId(row, id)
  const account = valueAt(row, [ASKED_ACCOUNT])
  return own === null || !idsPerAccount ? own : `${String(account ?? '')}/${own}`
}

function ofLists<Model extends BankAccount | BankTransaction, List extends { name: string; map: object }>(
  lists: readonly List[],
  readsOf: (list: List) => Reads,
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
    (wire: RowWire, context: MapContext) => listOf(wire).reads[field]?.(wire.row as Json, context),
  ])
  return {
    ...toMapping(Object.fromEntries(fields) as Mapping<RowWire, Model>),
    chosenBy: LIST,
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

/** Cache by list, since there are many rows. */
const known = new WeakMap<TransactionList, ReturnType<typeof dayReads>>()

/** Day of a transaction, `pending` while it has none; null when it cannot be read. */
export function dayOfTransaction(list: TransactionList, row: Json): string | null {
  const reads = known.get(list) ?? dayReads(list.map)
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
