import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { distinctInSlices, flatMapInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { DAY_MS } from '../contract/limits.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { ASKED_ACCOUNT, dayOfTransaction, rowId, transactionId } from './map.ts'
import { PageCursor, START } from './paging.ts'
import type { Profile, TransactionList } from './profile.ts'
import { readTransactions } from './read.ts'
import type { Caller } from './request.ts'
import { fetchRows, withMore } from './rows.ts'
import { secretOf } from './tokens.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
/** By account: ids of transactions that the next run lists again, unless the bank removed them. */
const Recent = Type.Record(Type.String(), Type.Array(Type.String()))
const Resume = Type.Object({ since: Day, recent: Type.Union([Recent, Type.Null()]) })

const Position = Type.Object({
  list: Type.Integer({ minimum: 0 }),
  of: Type.Integer({ minimum: 0 }),
  /** Cursor of the accounts' next page; null when there is none. */
  accounts: Type.Union([PageCursor, Type.Null()]),
  /** Accounts still to be read; the first one at `place`. */
  ids: Type.Array(Type.String()),
  place: PageCursor,
  /** Transactions of the first account that are expected again and not listed yet. */
  missing: Type.Array(Type.String()),
  recent: Type.Union([Recent, Type.Null()]),
  known: Type.Union([Resume, Type.Null()]),
  startedOn: Day,
})
type Position = Static<typeof Position>

const isPosition = Compile(Position)

/** Maximum number of remembered ids; with more, removals by the bank are not detected. */
const MAX_RECENT = 2_000
/** Margin in days: the bank's time zone may differ from ours. */
const MARGIN_DAYS = 2

export function transactionsPull(profile: Profile): Pull {
  return {
    name: 'transactions',
    delivers: ['Transactions'],
    fetch: (session, cursor) => fetchTransactions(profile, session, cursor),
    read: (answers) => readTransactions(profile, answers),
  }
}

/** One page of one account's transactions; pages of accounts are requested when needed. */
async function fetchTransactions(profile: Profile, session: Session, cursor: Json | null): Promise<Page> {
  const caller: Caller = { profile, kit: session.kit, secret: secretOf(session.credentials) }
  const listing = profile.transactions.every(({ history }) => history === 'everything') ? 'complete' : 'changes'
  const position = await toAccount(caller, begin(profile, session, cursor))
  if (position === null) return { answers: {}, next: null, ...resumeOf(profile, begin(profile, session, cursor)), listing }
  const list = listAt(profile, position.list)
  const [account = ''] = position.ids
  const since = sinceOf(list, position, account)
  const { bytes, rows, after } = await fetchRows(caller, list, position.place, { values: { accountId: account }, query: since })
  const missing = await listMissing(list, position, account, rows)
  const here = { ...position, missing, recent: await addRecent(list, position, account, rows) }
  const gone = after === null ? missing : []
  const next = after === null ? await toAccount(caller, leaveAccount(here)) : { ...here, place: after }
  return {
    answers: { about: jsonBytes({ list: list.name, account, gone }), rows: bytes },
    next,
    ...(next === null ? resumeOf(profile, here) : {}),
    listing,
  }
}

function begin(profile: Profile, { kit }: Session, cursor: Json | null): Position {
  if (isPosition.Check(cursor)) return cursor
  if (cursor !== null && !Check(Resume, cursor)) throw new SourceError('badData', 'the cursor of the transactions is none of ours')
  const hasHistory = profile.transactions.some(({ history }) => history !== 'everything')
  const startedOn = kit.now().toISOString().slice(0, 10)
  return { list: 0, of: 0, accounts: START, ids: [], place: START, missing: [], recent: hasHistory ? {} : null, known: cursor, startedOn }
}

/** Moves to the next account; null after the last one. */
async function toAccount(caller: Caller, from: Position): Promise<Position | null> {
  let position = from
  while (position.ids.length === 0) {
    const list = caller.profile.transactions[position.list]
    if (!list) return null
    const accounts = caller.profile.accounts.find(({ name }) => name === list.of[position.of])
    if (!accounts) {
      position = { ...position, list: position.list + 1, of: 0, accounts: START }
      continue
    }
    if (position.accounts === null) {
      position = { ...position, of: position.of + 1, accounts: START }
      continue
    }
    const { rows, after } = await fetchRows(caller, accounts, position.accounts)
    const ids = [...(await distinctInSlices(rows, (row) => rowId(row, accounts.id) ?? []))]
    position = enterAccount({ ...position, accounts: after, ids })
  }
  return position
}

function enterAccount(position: Position): Position {
  const [account = ''] = position.ids
  return { ...position, place: START, missing: ownOf(position.known?.recent, account) }
}

function leaveAccount(position: Position): Position {
  return enterAccount({ ...position, ids: position.ids.slice(1) })
}

/** Oldest day to request; an account that is new since the last run is read completely. */
function sinceOf({ history }: TransactionList, { known, startedOn }: Position, account: string): Record<string, string> {
  if (history === 'everything') return {}
  const isKnown = known !== null && (known.recent === null || Object.hasOwn(known.recent, account))
  const day = isKnown ? known.since : daysBefore(startedOn, history.days)
  const forms = { day, instant: `${day}T00:00:00Z`, compact: day.replaceAll('-', '') }
  return { [history.parameter]: forms[history.form] }
}

/** Transactions that are expected and not among these. */
async function listMissing(list: TransactionList, position: Position, account: string, rows: readonly Json[]): Promise<string[]> {
  const missing = new Set(position.missing)
  for await (const slice of slicesOf(rows)) {
    for (const row of slice) missing.delete(transactionId(list, withAccount(row, account)) ?? '')
  }
  return [...missing]
}

async function addRecent(list: TransactionList, position: Position, account: string, rows: readonly Json[]): Promise<Position['recent']> {
  if (position.recent === null || list.history === 'everything') return position.recent
  const from = daysBefore(position.startedOn, list.history.overlapDays - MARGIN_DAYS)
  const ids = await flatMapInSlices(rows, (row) => {
    const whole = withAccount(row, account)
    const day = dayOfTransaction(list, whole)
    const id = transactionId(list, whole)
    return id !== null && day !== null && (day === 'pending' || day >= from) ? [id] : []
  })
  const recent = { ...position.recent, [account]: [...ownOf(position.recent, account), ...ids] }
  const count = Object.values(recent).reduce((sum, each) => sum + 1 + each.length, 0)
  return count > MAX_RECENT ? null : recent
}

function resumeOf(profile: Profile, { startedOn, recent }: Position): { resume?: Json } {
  const overlaps = profile.transactions.flatMap(({ history }) => (history === 'everything' ? [] : [history.overlapDays]))
  return overlaps.length === 0 ? {} : { resume: { since: daysBefore(startedOn, Math.max(...overlaps)), recent } }
}

function withAccount(row: Json, account: string): Json {
  return withMore(row, { [ASKED_ACCOUNT]: account })
}

function ownOf(recent: Static<typeof Recent> | null | undefined, account: string): string[] {
  return recent && Object.hasOwn(recent, account) ? (recent[account] ?? []) : []
}

function listAt(profile: Profile, index: number): TransactionList {
  const list = profile.transactions[index]
  if (!list) throw new SourceError('badData', 'the profile has no such list any more')
  return list
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)
}
