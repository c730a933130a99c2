import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { distinctInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Page, type Session, SourceError } from '../contract/contract.ts'
import { DAY_MS, MINUTE_MS } from '../contract/limits.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { accountsOf, idOf, rowsOf } from './read.ts'
import { call, secretOf } from './request.ts'

const PAGE_ROWS = 500
/** Overlap of pages, because a transaction removed during pagination shifts the others up. */
const OVERLAP_ROWS = 25
const HISTORY_DAYS = 730
/** Overlap in time: the bank's cores stamp changes later than they show them. */
const OVERLAP_MS = 15 * MINUTE_MS
const PAGE_BYTES = 20 * 1024 * 1024

const Text = Type.String({ minLength: 1 })
const Instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}' })

/** Resume cursor of the next run: the start of its changes, for accounts that were read completely before. */
const Resume = Type.Object({ updatedSince: Instant, known: Type.Array(Text) })

/** Accounts still to be read, the first one from `offset` on. */
const Position = Type.Object({
  accounts: Type.Array(Text, { minItems: 1 }),
  offset: Type.Integer({ minimum: 0 }),
  /** Id of the previous page's first transaction: a repeated page means a list without an end. */
  first: Type.Union([Type.String(), Type.Null()]),
  startedAt: Instant,
  all: Type.Array(Text),
  resumed: Type.Union([Resume, Type.Null()]),
})
type Position = Static<typeof Position>

const isPosition = Compile(Position)
const isResume = Compile(Resume)

/** One page of one account's transactions. Removals are in the same responses, so no page is marked complete. */
export async function fetchTransactions(session: Session, cursor: Json | null): Promise<Page> {
  const position = isPosition.Check(cursor) ? cursor : await begin(session, cursor)
  const [account] = position?.accounts ?? []
  if (position === null || account === undefined) return { answers: {}, next: null, listing: 'changes' }
  const response = await ask(session, position, account)
  const rows = rowsOf(await responseJson(response, 'the transactions'))
  const first = rows.length === 0 ? null : idOf(rows[0])
  if (position.offset > 0 && first !== null && first === position.first) {
    throw new SourceError('badData', 'Banno answered the same page of transactions twice')
  }
  const next = advance(position, rows.length, first)
  const answers = { account: jsonBytes(account), transactions: response.body }
  const resume = { updatedSince: position.startedAt, known: position.all }
  return { answers, next, ...(next === null ? { resume } : {}), listing: 'changes' }
}

async function begin(session: Session, cursor: Json | null): Promise<Position | null> {
  const { kit, credentials, entityId } = session
  if (cursor !== null && !isResume.Check(cursor)) throw new SourceError('badData', 'the cursor of the transactions is none of ours')
  const path = `/users/${encodeURIComponent(entityId)}/accounts`
  const response = await call(kit, secretOf(credentials).accessToken, path, 'the list of accounts', { maxBytes: PAGE_BYTES })
  const listed = accountsOf(await responseJson(response, 'the list of accounts'))
  const accounts = [...(await distinctInSlices(listed, (each) => idOf(each) ?? []))]
  if (accounts.length === 0) return null
  const startedAt = new Date(clockOf(response, kit.now()).getTime() - OVERLAP_MS).toISOString()
  return { accounts, offset: 0, first: null, startedAt, all: accounts, resumed: cursor }
}

/** Clock of the bank, with which its timestamps are compared. */
function clockOf(response: HttpResponse, now: Date): Date {
  const told = Date.parse(response.headers.date ?? '')
  return Number.isNaN(told) ? now : new Date(Math.min(told, now.getTime()))
}

async function ask(session: Session, position: Position, account: string): Promise<HttpResponse> {
  const { kit, credentials, entityId } = session
  const { resumed, offset, startedAt } = position
  const span: Record<string, string> = resumed?.known.includes(account)
    ? { updatedSince: resumed.updatedSince }
    : { since: new Date(Date.parse(startedAt) - HISTORY_DAYS * DAY_MS).toISOString() }
  const query = new URLSearchParams({ offset: String(offset), limit: String(PAGE_ROWS), ...span })
  const path = `/users/${encodeURIComponent(entityId)}/accounts/${encodeURIComponent(account)}/transactions?${query}`
  return await call(kit, secretOf(credentials).accessToken, path, 'the transactions', { maxBytes: PAGE_BYTES })
}

function advance(position: Position, rows: number, first: string | null): Position | null {
  if (rows >= PAGE_ROWS) return { ...position, offset: position.offset + PAGE_ROWS - OVERLAP_ROWS, first }
  const accounts = position.accounts.slice(1)
  return accounts.length === 0 ? null : { ...position, accounts, offset: 0, first: null }
}
