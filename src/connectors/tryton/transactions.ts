import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { flatMapInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Page, type Pull, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { checkCompany } from './company.ts'
import { readTransactions, toRows } from './read.ts'
import { openCalls, readSecret } from './request.ts'
import { stampBefore, toStampText } from './stamps.ts'
import { type Row, TrytonStamp } from './wire.ts'

/** Entries a page; their lines come with them, so that a page always holds whole entries. */
const PAGE_SIZE = 200
/** A stamp is set when a change begins, not when it becomes visible: each run looks back this far. */
const OVERLAP_MS = 24 * 3_600_000
/** Restoring a backup can take posted entries away, so everything is listed again this often. */
const COMPLETE_EVERY_MS = 7 * 24 * 3_600_000

const Text = Type.Union([Type.String(), Type.Null()])
const Cursor = Type.Object({
  after: Type.Integer(),
  /** Stamp from which on changes are wanted; null lists everything. */
  since: Text,
  /** Newest stamp seen. */
  newest: Text,
  /** When the last complete listing began, by our clock. */
  completeAt: Type.String(),
  hasPostNumber: Type.Boolean(),
})
type Cursor = Static<typeof Cursor>

const isStamp = Compile(TrytonStamp)

/**
 * Posted entries only: a draft is not in the books, and Tryton lets nobody change or delete an entry once it is posted.
 */
export const pullEntries: Pull = {
  name: 'entries',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    const calls = openCalls(kit, secret)
    const context = { company: secret.companyId, active_test: false }
    let cursor = Value.Check(Cursor, given) ? given : null
    if (cursor === null || cursor.after === 0) {
      await checkCompany(calls, secret, entityId)
      const { result } = await calls.fetch('model.account.move.fields_get', [['post_number'], context])
      cursor = startCursor(cursor, kit.now(), isJsonObject(result) && 'post_number' in result)
    }
    const moves = await calls.fetch('model.account.move.search_read', [
      [
        ['company', '=', secret.companyId],
        ['state', '=', 'posted'],
        ['id', '>', cursor.after],
        ...(cursor.since === null ? [] : [changedSince(cursor.since)]),
      ],
      0,
      PAGE_SIZE,
      [['id', 'ASC']],
      [
        ...['number', 'date', 'description', 'origin', 'journal.name', 'journal.type', 'create_date', 'write_date'],
        ...(cursor.hasPostNumber ? ['post_number'] : []),
      ],
      context,
    ])
    const rows = await toRows(moves.result, 'entries')
    const lines = await calls.fetch('model.account.move.line.search_read', [
      [['move', 'in', await flatMapInSlices(rows, (row) => [row.id ?? null])]],
      0,
      null,
      [['id', 'ASC']],
      ['move', 'account', 'debit', 'credit', 'description', 'party.name', 'account.currency.code'],
      context,
    ])
    await calls.close()
    return toPage({ moves: moves.body, lines: lines.body }, rows, { ...cursor, newest: await findNewest(rows, cursor.newest) })
  },
  read: readTransactions,
}

function startCursor(resumed: Cursor | null, now: Date, hasPostNumber: boolean): Cursor {
  const isDue = resumed === null || now.getTime() - Date.parse(resumed.completeAt) >= COMPLETE_EVERY_MS
  if (isDue) return { after: 0, since: null, newest: null, completeAt: now.toISOString(), hasPostNumber }
  return { ...resumed, hasPostNumber }
}

function toPage(answers: Page['answers'], rows: readonly Row[], cursor: Cursor): Page {
  const listing = cursor.since === null ? 'complete' : 'changes'
  const last = rows.at(-1)?.id
  if (rows.length >= PAGE_SIZE && typeof last === 'number') return { answers, next: { ...cursor, after: last }, listing }
  if (cursor.newest === null) return { answers, next: null, listing }
  return { answers, next: null, resume: { ...cursor, after: 0, since: cursor.newest }, listing }
}

/** A record that was never written again has no write date. */
function changedSince(since: string): Json {
  const from = stampBefore(since, OVERLAP_MS)
  return [
    'OR',
    [['write_date', '>=', from]],
    [
      ['write_date', '=', null],
      ['create_date', '>=', from],
    ],
  ]
}

/** Newest stamp of these entries and of those before. */
async function findNewest(rows: readonly Row[], before: string | null): Promise<string | null> {
  let newest = before
  for await (const slice of slicesOf(rows)) newest = slice.map(stampOf).reduce(later, newest)
  return newest
}

function stampOf(row: Row): string | null {
  const stamp = row.write_date ?? row.create_date
  if (!isStamp.Check(stamp)) throw new SourceError('badData', 'Tryton: an entry carries no instant')
  return toStampText(stamp)
}

function later(a: string | null, b: string | null): string | null {
  return a !== null && (b === null || a > b) ? a : b
}
