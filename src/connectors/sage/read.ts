import { Compile } from 'typebox/compile'
import { add } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { toAmount, toPostingId } from './map.ts'
import { JournalWire, type PostingWire } from './wire.ts'

const isJournal = Compile(JournalWire)

/**
 * Names of the responses in each page. `CURRENCY` is the `base_currency` of the financial settings, or null without
 * access to them.
 */
export const LIST = 'list'
export const CURRENCY = 'currency'

/** List page as sent by Sage: Swagger declares a bare array, the server wraps it in an envelope. */
export interface Envelope {
  items: Json[]
  total: number | null
  page: number | null
  hasNext: boolean
}

/**
 * Anything but an envelope with `$items` throws `badData`.
 * Source: https://developer.sage.com/accounting/guides/concepts/best_practices/
 */
export function readEnvelope(body: Json): Envelope {
  const items = property(body, '$items')
  if (!Array.isArray(items)) throw new SourceError('badData', 'Sage answered without $items')
  const next = property(body, '$next') ?? null
  return { items, total: wholeNumber(property(body, '$total')), page: wholeNumber(property(body, '$page')), hasNext: next !== null }
}

export function rowId(row: Json | undefined): string | null {
  const id = property(row, 'id')
  return typeof id === 'string' && id !== '' ? id : null
}

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const currency = answerJson(answers, CURRENCY)
  for (const row of readEnvelope(answerJson(answers, LIST)).items) {
    const origId = rowId(row)
    if (origId === null || !isJsonObject(row)) yield { entity: 'Accounts', origId: null, unreadable: 'a ledger account without an id' }
    else yield { entity: 'Accounts', origId, wire: { ...row, base_currency: currency }, ...versionAt(property(row, 'updated_at')) }
  }
}

/**
 * One item for each posting. A journal is accepted whole or not at all; a deleted one has none, so a complete listing
 * removes it.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  const currency = answerJson(answers, CURRENCY)
  for (const row of readEnvelope(answerJson(answers, LIST)).items) {
    const postings = listPostings(row, currency)
    if (typeof postings === 'string') {
      yield { entity: 'Transactions', origId: rowId(row), unreadable: postings }
      continue
    }
    const version = versionAt(property(row, 'updated_at'))
    for (const wire of postings) yield { entity: 'Transactions', origId: toPostingId(wire), wire, ...version }
  }
}

/** Postings of a journal, or the reason why it is invalid. Zero lines have no effect and are left out. */
function listPostings(row: Json, currency: Json): PostingWire[] | string {
  if (!isJournal.Check(row)) return 'a journal that cannot be read'
  if (row.deleted_at) return []
  const { journal_lines: lines, ...journal } = row
  try {
    parseDay(row.date)
    const postings = lines
      .map((line, index): PostingWire => ({ journal, line, position: index + 1, base_currency: toBase(currency) }))
      .filter(({ line }) => toAmount(line) !== '0')
    if (new Set(postings.map(toPostingId)).size !== postings.length) return 'a journal with two lines of one id'
    if (add(...postings.map(({ line }) => toAmount(line))) !== '0') return 'a journal whose debits and credits differ'
    return postings
  } catch (error) {
    if (error instanceof RangeError) return 'a journal with an impossible date or amount'
    throw error
  }
}

function toBase(currency: Json): { id: string } | null {
  const id = property(currency, 'id')
  return typeof id === 'string' ? { id } : null
}

function wholeNumber(value: Json | undefined): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null
}
