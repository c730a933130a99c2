import type { Fields } from '../../kit/http/json-body.ts'
import type { Context } from '../context.ts'
import type { Account, Member, Transaction, User } from '../state.ts'
import { toAccountView, toTransactionView, toUserView } from './views.ts'

const DAY_MS = 86_400_000

/** A list before paging, or a complete body. */
export type UserRead = { name: 'accounts' | 'transactions'; rows: Fields[] } | { user: Fields } | { account: Fields }

/**
 * Reads of one user's data over all members: `rest` is the path below the user. Null for an unknown path or resource.
 * Source: paths below /users/{user_identifier} of https://github.com/mxenabled/openapi (v20250224)
 */
export function readOfUser(
  context: Context,
  user: User,
  members: readonly Member[],
  rest: string,
  query: URLSearchParams,
): UserRead | null {
  if (rest === '') return { user: toUserView(user) }
  if (rest === '/transactions') return { name: 'transactions', rows: listTransactions(context, members, query) }
  const [, one] = /^\/transactions\/([^/]+)$/.exec(rest) ?? []
  if (one !== undefined) return findTransaction(context, members, one)
  const path = /^(?:\/members\/([^/]+))?\/accounts(\/.+)?$/.exec(rest)
  const [, memberGuid, below] = path ?? []
  // The accounts of one member are handled with the member's other reads.
  if (!path || (memberGuid !== undefined && below === undefined)) return null
  const wanted = memberGuid === undefined ? members : members.filter(({ guid }) => guid === memberGuid)
  const accounts = wanted.flatMap((member) => member.accounts.map((account) => ({ member, account })))
  if (below === undefined) return { name: 'accounts', rows: accounts.map(({ member, account }) => toAccountView(context, member, account)) }
  const [, accountGuid, listed] = /^\/([^/]+)(\/transactions)?$/.exec(below) ?? []
  const found = accounts.find(({ account }) => account.guid === accountGuid)
  if (!found) return null
  return listed === undefined
    ? { account: toAccountView(context, found.member, found.account) }
    : { name: 'transactions', rows: listTransactions(context, [found.member], query, found.account) }
}

/** Newest first. `from_date` defaults to 120 days ago; `to_date` defaults to five days ahead. */
export function listTransactions(context: Context, members: readonly Member[], query: URLSearchParams, account?: Account): Fields[] {
  const from = readTime(query.get('from_date')) ?? context.nowMs() - 120 * DAY_MS
  const to = readTime(query.get('to_date')) ?? context.nowMs() + 5 * DAY_MS
  const isWanted = ({ day, accountGuid }: Transaction) =>
    Date.parse(`${day}T23:59:59Z`) >= from && Date.parse(day) <= to && (!account || accountGuid === account.guid)
  return members
    .flatMap((member) => member.transactions.filter(isWanted).map((transaction) => ({ member, transaction })))
    .sort(({ transaction: a }, { transaction: b }) => (a.day < b.day ? 1 : a.day > b.day ? -1 : a.guid < b.guid ? -1 : 1))
    .map(({ member, transaction }) => toTransactionView(context, member, transaction))
}

/** Parses seconds since the epoch, or a day; the paths differ. */
function readTime(text: string | null): number | null {
  if (text === null) return null
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number(text) * 1_000
  return Number.isNaN(ms) ? null : ms
}

/** A single transaction is returned as a list, as in the OpenAPI document. */
function findTransaction(context: Context, members: readonly Member[], guid: string): UserRead | null {
  for (const member of members) {
    const transaction = member.transactions.find((each) => each.guid === guid)
    if (transaction) return { name: 'transactions', rows: [toTransactionView(context, member, transaction)] }
  }
  return null
}
