import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { distinctInSlices, flatMapInSlices, sortInSlices } from '../../model/steps/slices.ts'
import { type Answers, type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { fetchAhead, isTransient } from '../toolkit/http/fetch-ahead.ts'
import { checkCustomer } from './accounts.ts'
import { accountIdOf, idOf, readTransactions } from './read.ts'
import { ask, type HelixSecret, listAccounts, readSecret } from './request.ts'
import { ListData } from './wire.ts'

/** Page size of the SDKs. */
const PAGE_SIZE = 200
/** Minimum number of transactions at which one of our pages ends. */
const MAX_MOVEMENTS = 1000
/** Maximum repetitions of a page that was already read before the run fails. */
const MAX_REPEATS = 3

const Cursor = Type.Object({
  /** Last account that was read completely, by number. */
  after: Type.String({ pattern: '^\\d*$' }),
  /** Page number within the account after it, and the first transaction of the previous page. */
  page: Type.Integer({ minimum: 0 }),
  first: Type.String(),
})

const AT_START = { page: 0, first: '' }

/**
 * All transactions of all accounts in every run: a voided or returned transaction may be of any age and is marked in
 * the list itself.
 */
export const pullTransactions: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    if (!Check(Cursor, given)) await checkCustomer(kit, secret, entityId)
    let at = Check(Cursor, given) ? given : { after: '', ...AT_START }
    const accounts = await listAccounts(kit, secret)
    const ids = await sortInSlices(await distinctInSlices(accounts.data, numberOf), byNumber)
    const answers: Answers = { accounts: accounts.body }
    let movements = 0
    const { after } = at
    const left = await flatMapInSlices(ids, (id) => (after === '' || byNumber(id, after) > 0 ? id : []))
    const begun = at
    const firstPages = fetchAhead(left, async (id) => ({ id, first: await readPage(kit, secret, id, id === left[0] ? begun : AT_START) }), {
      isFirstAlone: true,
      isEnough: () => movements >= MAX_MOVEMENTS,
    })
    try {
      for await (const { id, first } of firstPages) {
        for (let page = first; ; page = await readPage(kit, secret, id, at)) {
          answers[`${id}@${at.page}`] = page.body
          movements += page.rows.length
          if (page.rows.length < PAGE_SIZE) break
          at = { after: at.after, page: at.page + 1, first: idOf(page.rows[0]) ?? '' }
          if (movements >= MAX_MOVEMENTS) return { answers, next: at, listing: 'complete' }
        }
        at = { after: id, ...AT_START }
      }
    } catch (error) {
      if (at === begun || !isTransient(error)) throw error
      return { answers, next: at, listing: 'complete' }
    }
    const isOver = left.length === 0 || at.after === left.at(-1)
    return { answers, next: isOver ? null : at, listing: 'complete' }
  },
  read: readTransactions,
}

async function readPage(kit: Kit, secret: HelixSecret, account: string, at: { page: number; first: string }) {
  for (let repeats = 0; ; repeats++) {
    // Empty path segments: any status, any day.
    const path = `transaction/list/${secret.customerId}/${account}///?pageNumber=${at.page}&pageSize=${PAGE_SIZE}`
    const { body, data } = await ask(kit, secret, path, ListData, 'the movements')
    const rows: unknown[] = data
    if (at.first === '' || rows.length === 0 || idOf(rows[0]) !== at.first) return { body, rows }
    if (repeats >= MAX_REPEATS) throw new SourceError('badData', `Helix gave the same page ${repeats + 1} times`)
  }
}

/** Id of an account with which its list can be requested. */
function numberOf(row: unknown): string[] {
  const id = accountIdOf(row)
  return id !== null && /^\d{1,18}$/.test(id) ? [id] : []
}

function byNumber(a: string, b: string): number {
  const [first, second] = [BigInt(a), BigInt(b)]
  return first < second ? -1 : Number(first > second)
}
