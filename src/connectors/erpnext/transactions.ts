import { distinctInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import type { Answers, Pull } from '../contract/contract.ts'
import { readCompany } from './company.ts'
import { afterClause, nextCursor } from './paging.ts'
import { readTransactions } from './read.ts'
import { openCalls, type Row, readSecret } from './request.ts'

const PAGE_SIZE = 500
/** Maximum length of the voucher numbers in a URL; servers accept 8 KB in total. */
const MAX_NUMBERS_LENGTH = 3500

const FIELDS = [...['name', 'account', 'debit', 'credit', 'posting_date', 'voucher_type', 'voucher_no', 'party', 'remarks']]

/**
 * Ledger without cancelled lines, complete in each run: reposting a voucher removes its old lines without a trace. A
 * page lists a number of lines, then fetches their vouchers completely; a voucher that spans two pages is included in
 * both.
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
    for (const [index, numbers] of (await toBatches(named.rows)).entries()) {
      const lines = await calls.list('GL Entry', { fields: FIELDS, filters: [...scope, ['voucher_no', 'in', numbers]], limit: 0 })
      answers[`lines${index}`] = lines.body
    }
    return { answers, next: nextCursor(cursor, named.rows, PAGE_SIZE), listing: 'complete' }
  },
  read: readTransactions,
}

/** Voucher numbers of the page, without duplicates, in batches that fit into a URL. */
async function toBatches(rows: readonly Row[]): Promise<string[][]> {
  const batches: string[][] = []
  let length = Number.POSITIVE_INFINITY
  const numbers = await distinctInSlices(rows, ({ voucher_no: number }) => (typeof number === 'string' ? number : []))
  for await (const slice of slicesOf(numbers)) {
    for (const number of slice) {
      const own = encodeURIComponent(`"${number}",`).length
      if (length + own > MAX_NUMBERS_LENGTH) {
        batches.push([])
        length = 0
      }
      batches.at(-1)?.push(number)
      length += own
    }
  }
  return batches
}
