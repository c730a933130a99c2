import { Compile } from 'typebox/compile'
import { add } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson } from '../toolkit/http/answers.ts'
import { toAmount, toPostingId } from './map.ts'
import { listItems, rowId } from './rows.ts'
import { JournalWire, type PostingWire } from './wire.ts'

const isJournal = Compile(JournalWire)

/** Names of the responses in each page. `CURRENCY` is the currency of the company file, as text. */
export const LIST = 'list'
export const CURRENCY = 'currency'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const baseCurrency = readCurrency(answers)
  for (const row of listItems(answerJson(answers, LIST))) {
    const origId = rowId(row)
    if (origId === null || typeof row !== 'object') yield { entity: 'Accounts', origId: null, unreadable: 'an account without a UID' }
    else yield { entity: 'Accounts', origId, wire: { ...row, baseCurrency } }
  }
}

/** One item for each posting. A transaction is accepted whole or not at all. */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  const baseCurrency = readCurrency(answers)
  for (const row of listItems(answerJson(answers, LIST))) {
    const postings = listPostings(row, baseCurrency)
    if (typeof postings === 'string') yield { entity: 'Transactions', origId: rowId(row), unreadable: postings }
    else for (const wire of postings) yield { entity: 'Transactions', origId: toPostingId(wire), wire }
  }
}

/** Postings of a transaction, or the reason why it is invalid. Zero lines have no effect and are left out. */
function listPostings(row: Json, baseCurrency: string): PostingWire[] | string {
  if (!isJournal.Check(row)) return 'a journal transaction that cannot be read'
  const { Lines: lines, ...journal } = row
  try {
    parseDay(row.DateOccurred)
    const postings = lines
      .map((line, index): PostingWire => ({ journal, line, position: index + 1, baseCurrency }))
      .filter(({ line }) => toAmount(line) !== '0')
    if (add(...postings.map(({ line }) => toAmount(line))) !== '0') return 'a journal transaction whose debits and credits differ'
    return postings
  } catch (error) {
    if (error instanceof RangeError) return 'a journal transaction with an impossible date or amount'
    throw error
  }
}

function readCurrency(answers: Answers): string {
  const currency = answerJson(answers, CURRENCY)
  if (typeof currency !== 'string') throw new SourceError('badData', 'the page holds no currency of the company file')
  return currency
}
