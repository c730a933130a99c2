import type { Context } from '../context.ts'
import type { Account } from '../data/accounts.ts'
import { listMovements } from '../data/movements.ts'
import { fdxError } from '../faults.ts'
import type { Subject } from '../state.ts'
import { showAccount, showMovement } from './views.ts'

/** A data request, as identified by the path templates of the style. */
export type Asked =
  | { what: 'accounts'; isLight: boolean; institution: string | null }
  | { what: 'details' | 'transactions'; accountId: string; institution: string | null }

export interface Shown {
  status: number
  body: string
}

/** Data request by path; null for any other path. */
export function readPath({ style }: Context, path: string): Asked | null {
  const { accounts, details, more, transactions } = style.paths
  const list = match(accounts, path)
  if (list) return { what: 'accounts', isLight: style.isListLight, institution: list.institution ?? null }
  const full = more === undefined ? null : match(more, path)
  if (full) return { what: 'accounts', isLight: false, institution: full.institution ?? null }
  const movements = match(transactions, path)
  if (movements) return { what: 'transactions', accountId: movements.accountId ?? '', institution: movements.institution ?? null }
  const one = details === undefined ? null : match(details, path)
  return one ? { what: 'details', accountId: one.accountId ?? '', institution: one.institution ?? null } : null
}

/** `pageBack` returns the page before the requested one. */
export function showData(
  context: Context,
  asked: Asked,
  subject: Subject,
  query: URLSearchParams,
  odd: { pageBack: boolean; doubles: boolean },
): Shown {
  if (asked.institution !== null && asked.institution !== subject.institution) return refuse(403, 602, 'Customer not authorized')
  const edits = context.state.edits[subject.login]
  const shared = new Set(subject.shared)
  for (const id of edits?.removedAccounts ?? []) shared.delete(id)
  const accounts = context.accountsOf(subject.login, subject.institution).filter(({ id }) => shared.has(id))
  if (asked.what === 'accounts') {
    const wanted = query.has('accountIds') ? new Set(query.get('accountIds')?.split(',')) : null
    const isLight = asked.isLight && query.get('resultType') !== 'details'
    const rows = accounts.filter(({ id }) => wanted?.has(id) ?? true)
    const show = (account: Account) => edited(context, subject, account, isLight)
    // A request that names ids gets all of them on one page.
    return wanted
      ? { status: 200, body: JSON.stringify({ accounts: rows.map(show) }) }
      : paged(context, 'accounts', rows, show, query, odd.pageBack)
  }
  const account = accounts.find(({ id }) => id === asked.accountId)
  if (!account) return refuse(404, 701, 'Account not found')
  if (asked.what === 'details') return { status: 200, body: JSON.stringify(edited(context, subject, account, false)) }
  return listTransactions(context, account, query, odd, new Set(edits?.removedMovements))
}

function listTransactions(
  context: Context,
  account: Account,
  query: URLSearchParams,
  odd: { pageBack: boolean; doubles: boolean },
  removed: ReadonlySet<string>,
): Shown {
  const [from, to] = [query.get('startTime'), query.get('endTime')].map((text) => text?.slice(0, 10))
  if (from && to && from > to) return refuse(400, 703, 'Invalid date range')
  const rows = listMovements(account, context.state.createdDay, context.today(), odd.doubles)
    .filter(({ id }) => !removed.has(id))
    .filter(({ isPending, day, postedDay }) => {
      const shownDay = isPending ? day : postedDay
      return (!from || shownDay >= from) && (!to || shownDay <= to)
    })
  return paged(context, 'transactions', rows, (movement) => showMovement(context.style, account, movement), query, odd.pageBack)
}

function edited(context: Context, { login }: Subject, account: Account, isLight: boolean): Record<string, unknown> {
  const shown = showAccount(context.style, account, context.today(), isLight)
  const changes = context.state.edits[login]?.accounts[account.id]
  if (!changes) return shown
  const [wrapper] = Object.entries(shown)
  return context.style.version === 6 || !wrapper ? { ...shown, ...changes } : { [wrapper[0]]: { ...Object(wrapper[1]), ...changes } }
}

function paged<Row>(
  { style }: Context,
  name: string,
  rows: readonly Row[],
  show: (row: Row) => unknown,
  query: URLSearchParams,
  pageBack: boolean,
): Shown {
  const limit = Math.min(style.pageSize, Math.max(1, Number(query.get('limit') ?? style.pageSize)))
  const at = readPlace(style.paging, query)
  if (at === null || at > rows.length) return refuse(400, 400, 'Invalid page')
  const start = pageBack ? Math.max(0, at - limit) : at
  const end = start + limit
  const isLast = end >= rows.length
  const page =
    style.paging === 'key'
      ? { ...(isLast ? {} : { nextPageKey: toHandle(end) }), totalElements: rows.length }
      : style.paging === 'handle'
        ? { ...(isLast ? {} : { nextOffset: toHandle(end) }) }
        : { totalElements: rows.length }
  return { status: 200, body: JSON.stringify({ page, [name]: rows.slice(start, end).map(show) }) }
}

/** Null for a position that the bank never returned. */
function readPlace(paging: Context['style']['paging'], query: URLSearchParams): number | null {
  const text = query.get(paging === 'key' ? 'pageKey' : 'offset')
  if (text === null) return 0
  const plain = paging === 'number' ? text : Buffer.from(text, 'base64url').toString().replace(/^at:/, '')
  return /^\d{1,9}$/.test(plain) ? Number(plain) : null
}

function toHandle(place: number): string {
  return Buffer.from(`at:${place}`).toString('base64url')
}

function match(template: string, path: string): Record<string, string> | null {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((each) => each[1] ?? '')
  const found = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
  return found ? Object.fromEntries(names.map((name, place) => [name, decodeURIComponent(found[place + 1] ?? '')])) : null
}

function refuse(status: number, code: number, message: string): Shown {
  return { status, body: fdxError(code, message) }
}
