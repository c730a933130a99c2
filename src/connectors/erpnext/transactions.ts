import type { Json } from '../../model/values/json.ts'
import type { Answers, Pull } from '../contract/contract.ts'
import { readCompany } from './company.ts'
import { afterClause, nextCursor } from './paging.ts'
import { readTransactions } from './read.ts'
import { openCalls, type Row, readSecret } from './request.ts'

const PAGE_SIZE = 500
/** The numbers of vouchers travel in the address; servers take 8 KB of it. */
const MAX_NUMBERS_LENGTH = 3500

const FIELDS = [...['name', 'account', 'debit', 'credit', 'posting_date', 'voucher_type', 'voucher_no', 'party', 'remarks']]

/**
 * The ledger without what was cancelled, all of it each time: a voucher that is posted anew takes its old lines away
 * without a trace. A page names so many lines, then fetches the vouchers they belong to whole; a voucher that lies
 * across two pages comes with both.
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
  read: readTransactions,
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
