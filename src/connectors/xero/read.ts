import { Compile } from 'typebox/compile'
import { add, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson } from '../toolkit/http/answers.ts'
import { toInstant, toPostingDay } from './dates.ts'
import { toPostingId } from './map.ts'
import { type AccountWire, JournalWire, ManualJournalWire, type PostingWire } from './wire.ts'

type ListName = 'Accounts' | 'Journals' | 'ManualJournals'

/** Name of the response with the organisation's data for all records: `{"BaseCurrency":"CAD"}`. */
export const BASE = 'base'

/** Name of the response for missing permission to read journals: no transactions, and no failure. */
export const REFUSED = 'refused'

const isJournal = Compile(JournalWire)
const isManualJournal = Compile(ManualJournalWire)

/** Drafts and withdrawn journals post nothing. */
const NOT_POSTED: ReadonlySet<unknown> = new Set(['DRAFT', 'DELETED', 'VOIDED'])

/** NOTE The number of a bank account is shortened here, before a record leaves the sealed response. */
export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const Organisation = readBase(answers)
  for (const row of listRows(answerJson(answers, 'Accounts'), 'Accounts')) {
    const origId = textAt(row, 'AccountID')
    if (origId === null || typeof row !== 'object' || row === null) {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an AccountID' }
      continue
    }
    const number = textAt(row, 'BankAccountNumber')
    const Account = number === null ? row : { ...row, BankAccountNumber: maskAccountNumber(number) }
    yield { entity: 'Accounts', origId, wire: { Account, Organisation }, ...versionOf(textAt(row, 'UpdatedDateUTC')) }
  }
}

/**
 * One item for each posting. An entry is accepted whole or not at all: one that does not balance is set aside under its
 * own id.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  if (answers[REFUSED]) return
  const organisation = readBase(answers)
  const name = answers.Journals ? 'Journals' : 'ManualJournals'
  const [id, changed] = name === 'Journals' ? ['JournalID', 'CreatedDateUTC'] : ['ManualJournalID', 'UpdatedDateUTC']
  for (const row of listRows(answerJson(answers, name), name)) {
    if (name === 'ManualJournals' && NOT_POSTED.has(textAt(row, 'Status'))) continue
    const postings = name === 'Journals' ? listJournalPostings(row, organisation) : listManualPostings(row, organisation)
    if (typeof postings === 'string') {
      yield { entity: 'Transactions', origId: textAt(row, id), unreadable: postings }
      continue
    }
    const version = versionOf(textAt(row, changed))
    for (const wire of postings) yield { entity: 'Transactions', origId: toPostingId(wire), wire, ...version }
  }
}

/** Rows of a response. Any other response throws `badData`. */
export function listRows(body: Json, name: ListName): Json[] {
  const rows = typeof body === 'object' && body !== null && !Array.isArray(body) ? body[name] : null
  if (!Array.isArray(rows)) throw new SourceError('badData', `Xero answered no list of ${name}`)
  return rows
}

/** Property that is a non-empty text. */
export function textAt(row: Json | undefined, name: string): string | null {
  const value = typeof row === 'object' && row !== null && !Array.isArray(row) ? row[name] : null
  return typeof value === 'string' && value !== '' ? value : null
}

function readBase(answers: Answers): AccountWire['Organisation'] {
  return { BaseCurrency: textAt(answerJson(answers, BASE), 'BaseCurrency') }
}

/** Postings of a journal, or the reason why it is set aside. */
function listJournalPostings(row: Json, Organisation: AccountWire['Organisation']): PostingWire[] | string {
  if (!isJournal.Check(row)) return 'a journal with a line that cannot be read'
  const { JournalLines: lines, ...Journal } = row
  const amounts = readAmounts(
    lines.map((line) => line.NetAmount),
    Journal.JournalDate,
  )
  if (typeof amounts === 'string') return `a journal ${amounts}`
  const postings = lines.map((Line) => ({ Journal, Line, Organisation })).filter((_, index) => amounts[index] !== '0')
  if (new Set(postings.map(toPostingId)).size !== postings.length) return 'a journal with two lines of one id'
  return postings
}

/** Tax is posted to an account that a manual journal does not name, so one with tax is incomplete. */
function listManualPostings(row: Json, Organisation: AccountWire['Organisation']): PostingWire[] | string {
  if (!isManualJournal.Check(row)) return 'a manual journal with a line that cannot be read'
  const { JournalLines: all, ...ManualJournal } = row
  if (ManualJournal.Status !== 'POSTED') return 'a manual journal whose status is not known'
  const lines = all.flatMap((line, index) => ('IsBlank' in line && line.IsBlank === true ? [] : [{ line, position: index + 1 }]))
  const postable = lines.flatMap(({ line, position }) => ('LineAmount' in line ? [{ Line: line, position }] : []))
  const amounts = readAmounts(
    postable.map(({ Line }) => Line.LineAmount),
    ManualJournal.Date,
  )
  if (typeof amounts === 'string') return `a manual journal ${amounts}`
  const taxes = readAmounts(
    postable.map(({ Line }) => Line.TaxAmount ?? 0),
    null,
    'tax',
  )
  if (typeof taxes === 'string') return `a manual journal ${taxes}`
  if (taxes.some((tax) => tax !== '0')) return 'a manual journal with tax, whose account it does not name'
  return postable.map((each) => ({ ManualJournal, ...each, Organisation })).filter((_, index) => amounts[index] !== '0')
}

/** Amounts of an entry, debits positive, or the reason why it is set aside. `tax` need not add up to zero. */
function readAmounts(raw: (string | number)[], day: string | null | undefined, kind: 'postings' | 'tax' = 'postings'): Decimal[] | string {
  try {
    toPostingDay(day)
    const amounts = raw.map((amount) => toDecimal(amount))
    const known = amounts.filter((amount) => amount !== null)
    if (known.length < amounts.length) return 'with an empty amount'
    return kind === 'postings' && add(...known) !== '0' ? 'whose debits and credits differ' : known
  } catch (error) {
    if (error instanceof RangeError) return 'with an impossible date or amount'
    throw error
  }
}

/** Last change of the row in UTC, which sorts as text. */
function versionOf(changed: string | null): { version?: string } {
  try {
    const instant = toInstant(changed)
    return instant ? { version: instant.toISOString() } : {}
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}
