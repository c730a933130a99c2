import type { AccountClass, AccountingAccount, AccountingTransaction, AccountType } from '../../model/accounting.ts'
import { absolute, type Decimal, toDecimal } from '../../model/decimal.ts'
import { parseDay } from '../../model/timestamps.ts'
import { type MapContext, mapping } from '../contract.ts'
import { isoCurrency } from './currency.ts'
import type { AccountWire, LineWire } from './wire.ts'

export const toAccount = mapping<AccountWire, AccountingAccount>(1, {
  origId: (a) => a.aname,
  number: () => '',
  name: (a) => a.aname,
  currency: (a, context) => toCurrency(a.commodity ?? '', context),
  description: () => '',
  classApp: (a) => a.aname.split(':')[0] ?? '',
  classSystem: (a, context) => {
    const kind = findKind(a)
    if (kind === null) context.unmapped('classSystem', a.type ?? a.aname.split(':')[0] ?? '')
    return kind?.accountClass ?? 'UNKNOWN'
  },
  typeApp: (a) => a.type ?? '',
  typeSystem: (a) => findKind(a)?.type ?? 'OTHER',
  subTypeApp: () => '',
  subTypeSystem: () => '',
  statusApp: () => '',
  statusSystem: () => 'ACTIVE',
})

/** A positive amount is a debit. Payee and note share the description, parted by a bar. */
export const toTransaction = mapping<LineWire, AccountingTransaction>(1, {
  origId: (line) => line.origId,
  entryId: (line) => line.entryId,
  accountOrigId: (line) => line.posting.paccount,
  postedOn: (line) => parseDay(line.posting.pdate ?? line.entry.tdate),
  document: (line) => line.entry.tcode,
  description: (line) => line.entry.tdescription,
  counterparty: (line) => (line.entry.tdescription.includes('|') ? (line.entry.tdescription.split('|')[0] ?? '').trim() : ''),
  debit: (line) => sideOf(line, false),
  credit: (line) => sideOf(line, true),
  currency: (line, context) => toCurrency(line.value.commodity, context),
  sourceType: () => '',
})

function sideOf(line: LineWire, isCredit: boolean): Decimal | null {
  const value = toDecimal(line.value.quantity)
  return value !== null && value.startsWith('-') === isCredit ? absolute(value) : null
}

function toCurrency(commodity: string, context: MapContext): string {
  const code = isoCurrency(commodity)
  if (code === '' && commodity !== '') context.unmapped('currency', commodity)
  return code
}

interface Kind {
  accountClass: AccountClass
  type: AccountType
}

const kinds = {
  asset: { accountClass: 'ASSET', type: 'OTHER_ASSET' },
  cash: { accountClass: 'ASSET', type: 'BANK' },
  liability: { accountClass: 'LIABILITY', type: 'OTHER_LIABILITY' },
  equity: { accountClass: 'EQUITY', type: 'EQUITY' },
  revenue: { accountClass: 'INCOME', type: 'INCOME' },
  expense: { accountClass: 'EXPENSE', type: 'EXPENSE' },
} satisfies Record<string, Kind>

/** Source: https://hledger.org/1.25/hledger.html#account-types */
const kindByWord = new Map<string, Kind>([
  ['a', kinds.asset],
  ['asset', kinds.asset],
  ['c', kinds.cash],
  ['cash', kinds.cash],
  ['l', kinds.liability],
  ['liability', kinds.liability],
  ['e', kinds.equity],
  ['equity', kinds.equity],
  ['v', kinds.equity],
  ['conversion', kinds.equity],
  ['r', kinds.revenue],
  ['revenue', kinds.revenue],
  ['x', kinds.expense],
  ['expense', kinds.expense],
])

/** The English names that hledger understands by itself, in its order; names in other languages need a declaration there too. */
const kindByName: readonly (readonly [RegExp, Kind])[] = [
  [/^assets?(:.+)?:(cash|bank|che(ck|que?)(ing)?|savings?|current)(:|$)/i, kinds.cash],
  [/^assets?(:|$)/i, kinds.asset],
  [/^(debts?|liabilit(y|ies))(:|$)/i, kinds.liability],
  [/^equity(:|$)/i, kinds.equity],
  [/^(income|revenue)s?(:|$)/i, kinds.revenue],
  [/^expenses?(:|$)/i, kinds.expense],
]

/** The declared type, else the name, else the class of the accounts nearby, without its finer type. */
function findKind(account: AccountWire): Kind | null {
  if (account.type !== null) return toKind(account.type)
  const named = kindByName.find(([pattern]) => pattern.test(account.aname))
  if (named) return named[1]
  const nearby = account.typeNearby === null ? null : toKind(account.typeNearby)
  return nearby === kinds.cash ? kinds.asset : nearby
}

function toKind(word: string): Kind | null {
  return kindByWord.get(word.trim().toLowerCase()) ?? null
}
