import type { AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { findByName } from '../toolkit/names/account-names.ts'
import { isoCurrency } from './currencies.ts'
import { findKind } from './type-table.ts'
import type { AccountWire, LineWire } from './wire.ts'

export const toAccount = mapping<AccountWire, AccountingAccount>(4, {
  origId: (a) => a.aname,
  number: () => '',
  name: (a) => a.aname,
  currency: (a, context) => toCurrency(a.commodity ?? '', a.dollar, context),
  description: () => '',
  classApp: (a) => a.aname.split(':')[0] ?? '',
  classSystem: (a, context) => {
    const kind = findKind(a)
    if (kind === null) context.unmapped('classSystem', a.type ?? a.aname.split(':')[0] ?? '')
    return kind?.accountClass ?? 'UNKNOWN'
  },
  typeApp: (a) => a.type ?? '',
  typeSystem: (a) => refine(a).type,
  subTypeApp: () => '',
  subTypeSystem: (a) => refine(a).subType,
  statusApp: () => '',
  statusSystem: () => 'ACTIVE',
})

/** A positive amount is a debit. Payee and note share the description, separated by a bar. */
export const toTransaction = mapping<LineWire, AccountingTransaction>(2, {
  origId: (line) => line.origId,
  entryId: (line) => line.entryId,
  accountOrigId: (line) => line.posting.paccount,
  postedOn: (line) => parseDay(line.posting.pdate ?? line.entry.tdate),
  document: (line) => line.entry.tcode,
  description: (line) => line.entry.tdescription,
  counterparty: (line) => (line.entry.tdescription.includes('|') ? (line.entry.tdescription.split('|')[0] ?? '').trim() : ''),
  debit: (line) => sideOf(line, false),
  credit: (line) => sideOf(line, true),
  currency: (line, context) => toCurrency(line.value.commodity, line.dollar, context),
  sourceType: () => '',
})

/** Refined by the account's own part of its name, else by that of its nearest parent; the first part names the class only. */
function refine(account: AccountWire): { type: AccountType; subType: string } {
  const type = findKind(account)?.type ?? 'OTHER'
  const names = account.aname.split(':').slice(1).reverse()
  const found = names.map((name) => findByName(name, type)).find((finding) => finding !== null)
  return { type: found?.type ?? type, subType: found?.subType ?? '' }
}

function sideOf(line: LineWire, isCredit: boolean): Decimal | null {
  const value = toDecimal(line.value.quantity)
  return value !== null && value.startsWith('-') === isCredit ? absolute(value) : null
}

function toCurrency(commodity: string, dollar: string | undefined, context: MapContext): string {
  const code = isoCurrency(commodity, dollar ?? '')
  if (code === '' && commodity !== '') context.unmapped('currency', commodity)
  return code
}
