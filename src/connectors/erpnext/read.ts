import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { debitLessCredit, isDay } from '../toolkit/values/raw-values.ts'
import { type Row, readRows } from './request.ts'
import { LedgerWire } from './wire.ts'

const isLine = Compile(LedgerWire)

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  for (const row of readRows(answers, 'accounts')) {
    // NOTE `modified` is in the site's time zone and goes back an hour each autumn: it cannot be used for ordering.
    if (typeof row.name === 'string' && row.name !== '') yield { entity: 'Accounts', origId: row.name, wire: row }
    else yield { entity: 'Accounts', origId: null, unreadable: 'an account without a name' }
  }
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const companyCurrency = readRows(answers, 'company')[0]?.default_currency ?? null
  const lines = new Map<Json, Row>()
  const names = Object.keys(answers).filter((name) => name.startsWith('lines'))
  for (const row of names.flatMap((name) => readRows(answers, name))) {
    if (typeof row.name === 'string' && row.name !== '') lines.set(row.name, row)
    else yield { entity: 'Transactions', origId: null, unreadable: 'a line without a name' }
  }
  for (const voucher of Map.groupBy(lines.values(), toVoucherKey).values()) {
    const reason = findFault(voucher, companyCurrency)
    for (const row of voucher) {
      const origId = String(row.name)
      if (reason !== null) yield { entity: 'Transactions', origId, unreadable: reason }
      else if (amountOf(row) !== '0') yield { entity: 'Transactions', origId, wire: { ...row, companyCurrency } }
    }
  }
}

function toVoucherKey(row: Row): string {
  return JSON.stringify([row.voucher_type, row.voucher_no])
}

/** Fault of a voucher: debits and credits must balance exactly; a line hidden from the user is detected here. */
function findFault(lines: readonly Row[], companyCurrency: Json): string | null {
  if (!lines.every(({ posting_date: day }) => isDay(day))) return 'its voucher has no possible day'
  const amounts = lines.map(amountOf)
  if (!amounts.every((amount) => amount !== null)) return 'an amount of its voucher is no exact decimal'
  // A single line cannot be set aside: the rest of its voucher would not balance.
  if (!lines.every((line) => isLine.Check({ ...line, companyCurrency }))) return 'a line of its voucher cannot be read'
  return add(...amounts) === '0' ? null : 'its voucher does not balance'
}

function amountOf({ debit, credit }: Row): Decimal | null {
  return debitLessCredit(debit, credit)
}
