import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../model/records/accounting-transaction.ts'
import { absolute, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import { isoCurrency } from './currencies.ts'
import { findKind } from './type-table.ts'
import type { AccountWire, LineWire } from './wire.ts'

export const toAccount = mapping<AccountWire, AccountingAccount>(2, {
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
  typeSystem: (a) => findKind(a)?.type ?? 'OTHER',
  subTypeApp: () => '',
  subTypeSystem: () => '',
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

function sideOf(line: LineWire, isCredit: boolean): Decimal | null {
  const value = toDecimal(line.value.quantity)
  return value !== null && value.startsWith('-') === isCredit ? absolute(value) : null
}

function toCurrency(commodity: string, dollar: string | undefined, context: MapContext): string {
  const code = isoCurrency(commodity, dollar ?? '')
  if (code === '' && commodity !== '') context.unmapped('currency', commodity)
  return code
}
