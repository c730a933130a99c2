import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Answers, type Pull, SourceError } from '../contract/contract.ts'
import { fetchAhead, isTransient } from '../toolkit/http/fetch-ahead.ts'
import { addOrganization } from './currencies.ts'
import { checkHolder, holderQuery } from './holder.ts'
import { readTransactions } from './read.ts'
import { keyOf, readList, readSecret, START } from './request.ts'

const ACCOUNTS_SIZE = 100
const MOVEMENTS_SIZE = 1000
/** Minimum number of transactions at which a page ends. */
const MAX_MOVEMENTS = 5000
const MAX_RESTARTS = 3

const PageCursorSchema = Type.Object({ offset: Type.Integer({ minimum: 0 }), last: Type.String(), total: Type.Integer() })
const Cursor = Type.Object({
  list: Type.Union([Type.Literal('deposits'), Type.Literal('loans')]),
  /** Page of the account list. */
  accounts: PageCursorSchema,
  /** Number of its accounts already read. */
  done: Type.Integer({ minimum: 0 }),
  /** Position in the account after them. */
  movements: PageCursorSchema,
  restarts: Type.Integer({ minimum: 0 }),
})
type Cursor = Static<typeof Cursor>

const FIRST: Cursor = { list: 'deposits', accounts: START, done: 0, movements: START, restarts: 0 }

/**
 * All transactions of all accounts in every run: an adjustment may be of any age, and both it and the adjusted
 * transaction stay listed.
 */
export const pullTransactions: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    if (!Check(Cursor, given)) await checkHolder(kit, secret, entityId)
    let at: Cursor = Check(Cursor, given) ? given : FIRST
    const accounts = await readList(kit, secret, `${at.list}?detailsLevel=BASIC&${holderQuery(secret)}`, at.accounts, ACCOUNTS_SIZE)
    if (accounts.next === START) return { answers: {}, next: restarted(at, { ...FIRST, list: at.list }), listing: 'complete' }
    const answers: Answers = { [at.list]: accounts.body }
    await addOrganization(kit, secret, accounts.rows, answers)
    let count = 0
    const begun = at
    const read = async (row: unknown, movements: Cursor['movements']) => {
      const key = keyOf(row)
      if (key === null) return null
      const path = `${begun.list}/${encodeURIComponent(key)}/transactions?detailsLevel=FULL`
      return { key, page: await readList(kit, secret, path, movements, MOVEMENTS_SIZE) }
    }
    const left = accounts.rows.slice(at.done)
    const firstPages = fetchAhead(
      left.keys(),
      async (place) => ({ row: left[place], first: await read(left[place], place === 0 ? begun.movements : START) }),
      { isFirstAlone: true, isEnough: () => count >= MAX_MOVEMENTS },
    )
    try {
      for await (const { row, first } of firstPages) {
        for (let found = first; found !== null; found = await read(row, at.movements)) {
          const { key, page } = found
          answers[`${key}@${at.movements.offset}`] = page.body
          count += page.rows.length
          if (page.next === null) break
          at = page.next === START ? restarted(at, { ...at, movements: START }) : { ...at, movements: page.next }
          if (count >= MAX_MOVEMENTS) return { answers, next: at, listing: 'complete' }
        }
        at = { ...at, done: at.done + 1, movements: START, restarts: 0 }
      }
    } catch (error) {
      if (at === begun || !isTransient(error)) throw error
      return { answers, next: at, listing: 'complete' }
    }
    if (at.done < accounts.rows.length) return { answers, next: at, listing: 'complete' }
    if (accounts.next !== null) return { answers, next: { ...FIRST, list: at.list, accounts: { ...accounts.next } }, listing: 'complete' }
    return { answers, next: at.list === 'deposits' ? { ...FIRST, list: 'loans' } : null, listing: 'complete' }
  },
  read: readTransactions,
}

function restarted(before: Cursor, next: Cursor): Cursor {
  if (before.restarts >= MAX_RESTARTS)
    throw new SourceError('badData', `Mambu: the ${before.list} or their movements changed at each reading`)
  return { ...next, restarts: before.restarts + 1 }
}
