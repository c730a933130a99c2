import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import type { Answers, Pull, SourceItem } from '../contract/contract.ts'
import { debitLessCredit, isDay } from '../toolkit/raw-values.ts'
import { readCompany } from './company.ts'
import { afterClause, nextCursor } from './paging.ts'
import { openCalls, type Row, readRows, readSecret } from './request.ts'
import { LedgerWire } from './wire.ts'

const isLine = Compile(LedgerWire)

const PAGE_SIZE = 500
/** The numbers of vouchers travel in the address; servers take 8 KB of it. */
const MAX_NUMBERS_LENGTH = 3500

const FIELDS = [...['name', 'account', 'debit', 'credit', 'posting_date', 'voucher_type', 'voucher_no', 'party', 'remarks']]

/**
 * The ledger without what was cancelled, all of it each time: a voucher that is posted anew takes its old lines away without a trace. A page
 * names so many lines, then fetches the vouchers they belong to whole; a voucher that lies across two pages comes with both.
 */
export const pullEntries: Pull = {
  name: 'entries',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, cursor) {
    const secret = readSecret(credentials)
    const calls = openCalls(kit, secret)
    const company = await readCompany(calls, secret, entityId)
    const scope: Json[] = [
      ['company', '=', company.name],
      ['is_cancelled', '=', 0],
    ]
    const named = await calls.list('GL Entry', {
      fields: ['name', 'voucher_no'],
      filters: [...scope, ...afterClause(cursor)],
      limit: PAGE_SIZE,
    })
    const answers: Answers = { company: company.body }
    for (const [index, numbers] of toBatches(named.rows).entries()) {
      const lines = await calls.list('GL Entry', { fields: FIELDS, filters: [...scope, ['voucher_no', 'in', numbers]], limit: 0 })
      answers[`lines${index}`] = lines.body
    }
    return { answers, next: nextCursor(cursor, named.rows, PAGE_SIZE), listing: 'complete' }
  },
  *read(answers): Iterable<SourceItem> {
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
  },
}

/** The numbers of all vouchers on the page, each once, in batches that an address can carry. */
function toBatches(rows: readonly Row[]): string[][] {
  const batches: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const number of new Set(rows.map(({ voucher_no: number }) => number))) {
    if (typeof number !== 'string') continue
    const own = encodeURIComponent(`"${number}",`).length
    if (length + own > MAX_NUMBERS_LENGTH) {
      batches.push([])
      length = 0
    }
    batches.at(-1)?.push(number)
    length += own
  }
  return batches
}

function toVoucherKey(row: Row): string {
  return JSON.stringify([row.voucher_type, row.voucher_no])
}

/** The sum of debits less credits must be exactly nothing; a line that the user may not see shows up here. */
function findFault(lines: readonly Row[], companyCurrency: Json): string | null {
  if (!lines.every(({ posting_date: day }) => isDay(day))) return 'its voucher has no possible day'
  const amounts = lines.map(amountOf)
  if (!amounts.every((amount) => amount !== null)) return 'an amount of its voucher is no exact decimal'
  // One line alone may not be set aside: what is left of its voucher would not balance.
  if (!lines.every((line) => isLine.Check({ ...line, companyCurrency }))) return 'a line of its voucher cannot be read'
  return add(...amounts) === '0' ? null : 'its voucher does not balance'
}

function amountOf({ debit, credit }: Row): Decimal | null {
  return debitLessCredit(debit, credit)
}
