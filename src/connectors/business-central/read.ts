import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { countStrays, type Entry, groupLines, orderRows } from './entries.ts'
import { toAmount } from './map.ts'
import type { PostingWire } from './wire.ts'

/** Names of the responses in each page: the source's list, and the state of the run at the time of the request. */
export const LIST = 'list'
export const CONTEXT = 'context'

/** Further responses of one page, when an entry is longer than one response: `list2`, `list3` … */
export function listName(position: number): string {
  return position === 0 ? LIST : `${LIST}${position + 1}`
}

/** One OData list. `next` is the URL of the rest; null at the end. */
export interface List {
  rows: Json[]
  next: string | null
}

/** Parses a list; anything other than an object with a list in `value` throws `badData`. */
export function readList(body: Json): List {
  const rows = property(body, 'value')
  if (!Array.isArray(rows)) throw new SourceError('badData', 'Business Central answered without a list in value')
  const next = property(body, '@odata.nextLink') ?? null
  if (next !== null && typeof next !== 'string') throw new SourceError('badData', 'Business Central answered an unreadable nextLink')
  return { rows, next }
}

export function rowId(row: Json | undefined): string | null {
  const id = property(row, 'id')
  return typeof id === 'string' && id !== '' ? id : null
}

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const currencyCode = currencyOf(answerJson(answers, CONTEXT))
  for (const account of readList(answerJson(answers, LIST)).rows) {
    const origId = rowId(account)
    if (origId === null) yield { entity: 'Accounts', origId, unreadable: 'an account without an id' }
    else yield { entity: 'Accounts', origId, wire: { account, currencyCode }, ...versionAt(property(account, 'lastModifiedDateTime')) }
  }
}

/**
 * One item for each posting; zero lines have no effect and are left out. An entry is accepted whole or set aside under
 * its first number.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  const context = answerJson(answers, CONTEXT)
  const currencyCode = currencyOf(context)
  const { entries, strays } = gatherEntries(answers, afterOf(context))
  for (let stray = 0; stray < strays; stray++) {
    yield { entity: 'Transactions', origId: null, unreadable: 'a ledger entry without a number' }
  }
  for (const entry of entries) {
    const fault = faultOf(entry)
    if (fault !== null) {
      yield { entity: 'Transactions', origId: String(entry.first), unreadable: fault }
      continue
    }
    for (const line of entry.lines.filter((each) => toAmount(each) !== '0')) {
      const wire: PostingWire = { line, entryNumber: entry.first, currencyCode }
      yield { entity: 'Transactions', origId: String(line.id), wire, ...versionAt(line.lastModifiedDateTime) }
    }
  }
}

/**
 * Complete entries of a page. Lines after the last one belong to the next page, unless this page could not complete a
 * single one.
 */
function gatherEntries(answers: Answers, after: number): { entries: Entry[]; strays: number } {
  const lists: List[] = []
  for (let position = 0; answers[listName(position)]; position++) lists.push(readList(answerJson(answers, listName(position))))
  if (lists.length === 0) throw new SourceError('badData', `the page lacks its answer "${LIST}"`)
  const rows = lists.flatMap((list) => list.rows)
  const { entries, open } = groupLines(orderRows(rows, after))
  const goesOn = lists.at(-1)?.next !== null && entries.length > 0
  const unfinished = open && !goesOn ? [{ ...open, fault: open.fault ?? 'an entry whose debits and credits differ' }] : []
  return { entries: [...entries, ...unfinished], strays: countStrays(rows) }
}

function faultOf(entry: Entry): string | null {
  if (entry.fault !== null) return entry.fault
  const ids = new Set(entry.lines.map((line) => String(line.id)))
  return ids.size === entry.lines.length ? null : 'an entry with two lines of one id'
}

function currencyOf(context: Json): string | null {
  const code = property(context, 'currencyCode')
  return typeof code === 'string' && code !== '' ? code : null
}

function afterOf(context: Json): number {
  const after = property(context, 'after')
  return typeof after === 'number' ? after : -1
}
