import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { slicesOf } from '../../model/steps/slices.ts'
import { type Answers, type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead, isTransient } from '../toolkit/http/fetch-ahead.ts'
import { listAfter, readClient, readOverview } from './accounts.ts'
import { type Listed, readTransactions, toRows } from './read.ts'
import { checkAnswer, type FineractSecret, get, readSecret, refuse } from './request.ts'
import { RecordAnswer, SearchAnswer } from './wire.ts'

/** Transactions per call of one savings account. */
const SEARCH_SIZE = 500
/** Minimum number of transactions or accounts at which a page ends. */
const MAX_MOVEMENTS = 5000
const MAX_ACCOUNTS = 100
/** Maximum repetitions of a page that was already read before the run fails. */
const MAX_REPEATS = 3

const Cursor = Type.Object({
  /** Last account that was read completely. */
  after: Type.String({ pattern: '^((loan|savings)/\\d+)?$' }),
  /** Offset within the account after it. */
  offset: Type.Integer({ minimum: 0 }),
  lastId: Type.Integer(),
})

const AT_START = { offset: 0, lastId: 0 }

/**
 * All transactions in every run: a reversed one stays listed and is marked, whatever its age. Loans and term deposits
 * are read whole, savings in pages by id, which only grows.
 */
export const pullTransactions: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    if (!Check(Cursor, given)) await readClient(kit, secret, entityId)
    const overview = await readOverview(kit, secret)
    let at = Check(Cursor, given) ? given : { after: '', ...AT_START }
    const answers: Answers = {}
    let movements = 0
    let accounts = 0
    const left = await listAfter(overview.accounts, at.after)
    const begun = at
    const firstParts = fetchAhead(
      left.slice(0, MAX_ACCOUNTS),
      async (account) => ({ account, part: await readPart(kit, secret, account, account === left[0] ? begun : AT_START) }),
      { isFirstAlone: true, isEnough: () => movements >= MAX_MOVEMENTS },
    )
    try {
      for await (const { account, part: first } of firstParts) {
        for (let part = first; ; part = await readPart(kit, secret, account, at)) {
          answers[`${account.origId}@${at.offset}`] = part.body
          movements += part.count
          if (part.next === null) break
          at = { after: at.after, ...part.next }
          if (movements >= MAX_MOVEMENTS) return { answers, next: at, listing: 'complete' }
        }
        accounts += 1
        at = { after: account.origId, ...AT_START }
      }
    } catch (error) {
      if (at === begun || !isTransient(error)) throw error
      return { answers, next: at, listing: 'complete' }
    }
    if (accounts < left.length) return { answers, next: at, listing: 'complete' }
    // A page without responses would not be stored.
    if (accounts === 0) answers.accounts = overview.body
    return { answers, next: null, listing: 'complete' }
  },
  read: readTransactions,
}

interface Part {
  body: Uint8Array
  count: number
  next: { offset: number; lastId: number } | null
}

async function readPart(kit: Kit, secret: FineractSecret, account: Listed, at: { offset: number; lastId: number }): Promise<Part> {
  const found = account.resource === 'savingsaccounts' ? await search(kit, secret, account, at) : null
  if (found !== null) return found
  const what = `the movements of ${account.resource}`
  const response = await get(kit, secret, `${account.resource}/${account.id}?associations=transactions`)
  refuse(kit, response, what)
  const answer = await responseJson(response, `Fineract ${what}`)
  checkAnswer(RecordAnswer, answer, what)
  return { body: response.body, count: toRows(answer).length, next: null }
}

/**
 * Search; null where the server is older than version 1.9, which introduced it: it takes the word for a transaction id.
 */
async function search(kit: Kit, secret: FineractSecret, account: Listed, at: { offset: number; lastId: number }): Promise<Part | null> {
  const what = 'the search of movements'
  for (let repeats = 0; ; repeats++) {
    const query = new URLSearchParams({ offset: String(at.offset), limit: String(SEARCH_SIZE), orderBy: 'id', sortOrder: 'ASC' })
    const response = await get(kit, secret, `savingsaccounts/${account.id}/transactions/search?${query}`)
    if (at.offset === 0 && [400, 404, 405].includes(response.status)) return null
    refuse(kit, response, what)
    const answer = checkAnswer(SearchAnswer, await responseJson(response, `Fineract ${what}`), what)
    const [rows, total] = 'content' in answer ? [answer.content, answer.total] : [answer.pageItems, answer.totalFilteredRecords]
    const lastId = await findLastId(rows)
    const offset = at.offset + SEARCH_SIZE
    const hasMore = offset < total
    if (rows.length === 0 ? at.offset < total : lastId <= at.lastId) {
      if (repeats < MAX_REPEATS) continue
      throw new SourceError('badData', `Fineract gave no new movements behind number ${at.offset} of ${total}`)
    }
    return { body: response.body, count: rows.length, next: hasMore ? { offset, lastId: Math.max(lastId, at.lastId) } : null }
  }
}

/** Largest id; 0 without any. */
async function findLastId(rows: readonly unknown[]): Promise<number> {
  let most = 0
  for await (const slice of slicesOf(rows)) {
    for (const row of slice) if (isJsonObject(row) && typeof row.id === 'number' && row.id > most) most = row.id
  }
  return most
}
