import { Compile } from 'typebox/compile'
import { absolute, add, compareDecimals, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { toPostingId } from './map.ts'
import { JournalEntryWire, PostingLine, type PostingWire } from './wire.ts'

const isEntry = Compile(JournalEntryWire)
const isPostingLine = Compile(PostingLine)

/** Name of the response in each page. */
export const ANSWER = 'query'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  for (const row of listRows(answerJson(answers, ANSWER), 'Account')) {
    const origId = rowId(row)
    if (origId === null) yield { entity: 'Accounts', origId, unreadable: 'an account without an Id' }
    else yield { entity: 'Accounts', origId, wire: row, ...versionOf(row) }
  }
}

/**
 * One item for each posting. An entry is accepted whole or not at all: one that does not balance is set aside under its
 * own id.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  for (const row of listRows(answerJson(answers, ANSWER), 'JournalEntry')) {
    const postings = listPostings(row)
    if (typeof postings === 'string') {
      yield { entity: 'Transactions', origId: rowId(row), unreadable: postings }
      continue
    }
    const version = versionOf(row)
    for (const wire of postings) yield { entity: 'Transactions', origId: toPostingId(wire), wire, ...version }
  }
}

/** Rows of a query's response; no key for the entity means no rows. Any other response throws `badData`. */
export function listRows(body: Json, entity: 'Account' | 'JournalEntry'): Json[] {
  const response = property(body, 'QueryResponse')
  if (typeof response !== 'object' || response === null || Array.isArray(response)) {
    throw new SourceError('badData', 'QuickBooks answered without a QueryResponse')
  }
  const rows = response[entity] ?? []
  if (!Array.isArray(rows)) throw new SourceError('badData', `QuickBooks answered no list of ${entity}`)
  return rows
}

export function rowId(row: Json | undefined): string | null {
  const id = property(row, 'Id')
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? String(id) : null
}

/** Postings of an entry, or the reason why it is invalid. Text lines and zero lines have no effect and are left out. */
function listPostings(row: Json): PostingWire[] | string {
  if (!isEntry.Check(row)) return 'a journal entry with a line that cannot be read'
  const { Line: lines, ...header } = row
  const postings: PostingWire[] = []
  const debits: Decimal[] = []
  const credits: Decimal[] = []
  try {
    parseDay(row.TxnDate)
    for (const [index, line] of lines.entries()) {
      if (!isPostingLine.Check(line)) continue
      const amount = toDecimal(line.Amount)
      if (amount === null) return 'a journal entry with an empty amount'
      if (amount === '0') continue
      const isDebit = (line.JournalEntryLineDetail.PostingType === 'Debit') !== amount.startsWith('-')
      ;(isDebit ? debits : credits).push(absolute(amount))
      postings.push({ JournalEntry: header, Line: line, position: index + 1 })
    }
  } catch (error) {
    if (error instanceof RangeError) return 'a journal entry with an impossible date or amount'
    throw error
  }
  if (new Set(postings.map(toPostingId)).size !== postings.length) return 'a journal entry with two lines of one Id'
  if (compareDecimals(add(...debits), add(...credits)) !== 0) return 'a journal entry whose debits and credits differ'
  return postings
}

/** Version of a row: its last change, or its creation if it was never changed. */
function versionOf(row: Json): { version?: string } {
  const metaData = property(row, 'MetaData')
  return versionAt(property(metaData, 'LastUpdatedTime') ?? property(metaData, 'CreateTime'))
}
