import { Compile } from 'typebox/compile'
import { absolute, add, compareDecimals, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { currencyReader } from './currencies.ts'
import { toPostingId } from './map.ts'
import { listRows, textAt } from './rows.ts'
import { JournalWire, type PostingWire } from './wire.ts'

/** Names of the responses in a page: the list, and one for each journal of it. */
export const LIST = 'list'
const JOURNAL = 'journal '

/** Name of the response for missing permission to read journals: no transactions, and no failure. */
export const REFUSED = 'refused'

/** Not posted yet. */
export const DRAFT = 'draft'

const isJournal = Compile(JournalWire)

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  // A page of the check phase is empty.
  if (Object.keys(answers).length === 0) return
  const currencyOf = currencyReader(answers)
  for (const row of listRows(answerJson(answers, LIST), 'chartofaccounts')) {
    const origId = textAt(row, 'account_id')
    if (origId === null) yield { entity: 'Accounts', origId, unreadable: 'an account without an account_id' }
    else yield { entity: 'Accounts', origId, wire: withCurrency(row, currencyOf(row)), ...versionOf(row) }
  }
}

/** Row with the currency of other responses, `currencyCode`, unless it is no row at all. */
function withCurrency(row: Json, currencyCode: string | null): Json {
  return isJsonObject(row) ? { ...row, currencyCode } : row
}

/**
 * One item for each posting. A journal is accepted whole or not at all: one that does not balance is set aside under
 * its own id.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  // A page of the check phase is empty.
  if (answers[REFUSED] || Object.keys(answers).length === 0) return
  for (const row of listRows(answerJson(answers, LIST), 'journals')) {
    if (textAt(row, 'journal_id') === null) {
      yield { entity: 'Transactions', origId: null, unreadable: 'a journal without a journal_id' }
    }
  }
  for (const name of Object.keys(answers).filter((each) => each.startsWith(JOURNAL))) {
    const row = readJournal(answerJson(answers, name))
    if (textAt(row, 'status') === DRAFT) continue
    const postings = listPostings(row)
    if (typeof postings === 'string') {
      yield { entity: 'Transactions', origId: name.slice(JOURNAL.length), unreadable: postings }
      continue
    }
    const version = versionOf(row)
    for (const wire of postings) yield { entity: 'Transactions', origId: toPostingId(wire), wire, ...version }
  }
}

/** Name of the response that holds one journal. */
export function journalAnswer(journalId: string): string {
  return `${JOURNAL}${journalId}`
}

/** Journal from its separate response. Any other response throws `badData`. */
export function readJournal(body: Json): Json {
  const journal = property(body, 'journal')
  if (typeof journal !== 'object' || journal === null) throw new SourceError('badData', 'Zoho answered no journal')
  return journal
}

/** Postings of a journal, or the reason why it is set aside. */
function listPostings(row: Json): PostingWire[] | string {
  if (!isJournal.Check(row)) return 'a journal with a line that cannot be read'
  const { line_items: lines, taxes, ...journal } = row
  if (journal.status !== 'published') return 'a journal whose status is not known'
  try {
    parseDay(journal.journal_date)
    if ((taxes ?? []).some(({ tax_amount }) => (toDecimal(tax_amount) ?? '0') !== '0'))
      return 'a journal with tax, whose account it does not name'
    const sides: Record<'debit' | 'credit', Decimal[]> = { debit: [], credit: [] }
    const postings: PostingWire[] = []
    for (const line of lines) {
      const amount = toDecimal(line.amount)
      if (amount === null) return 'a journal with an empty amount'
      if (amount === '0') continue
      const isDebit = (line.debit_or_credit === 'debit') !== amount.startsWith('-')
      sides[isDebit ? 'debit' : 'credit'].push(absolute(amount))
      postings.push({ journal, line })
    }
    if (new Set(postings.map(toPostingId)).size !== postings.length) return 'a journal with two lines of one id'
    return compareDecimals(add(...sides.debit), add(...sides.credit)) === 0 ? postings : 'a journal whose debits and credits differ'
  } catch (error) {
    if (error instanceof RangeError) return 'a journal with an impossible date or amount'
    throw error
  }
}

/** Version of a row: its last change, or its creation if it was never changed. */
function versionOf(row: Json): { version?: string } {
  return versionAt(textAt(row, 'last_modified_time') ?? textAt(row, 'created_time') ?? undefined)
}
