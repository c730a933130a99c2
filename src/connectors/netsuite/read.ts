import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, property } from '../toolkit/http/answers.ts'
import { toAmount, toPostingId } from './map.ts'
import { Features, LineRow } from './wire.ts'

const isLine = Compile(LineRow)
const isFeatures = Compile(Features)

/** Names of the responses in each page: the SuiteQL response, and the data of the account known to this run. */
export const LIST = 'list'
export const CONTEXT = 'context'

/** Further responses of one page, when a transaction does not fit into one: `list2`, `list3` … */
export function listName(position: number): string {
  return position === 0 ? LIST : `${LIST}${position + 1}`
}

export interface List {
  rows: Json[]
  hasMore: boolean
}

/** Anything but an object with `items` and `hasMore` throws `badData`. */
export function readList(body: Json): List {
  const [rows, hasMore] = [property(body, 'items'), property(body, 'hasMore')]
  if (!Array.isArray(rows) || typeof hasMore !== 'boolean') throw new SourceError('badData', 'NetSuite answered without items and hasMore')
  return { rows, hasMore }
}

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const features = featuresOf(answers)
  for (const account of readList(answerJson(answers, LIST)).rows) {
    const id = accountIdOf(account)
    if (id === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else yield { entity: 'Accounts', origId: String(id), wire: { account, currency: currencyOfAccount(account, features) } }
  }
}

/**
 * One item for each posting; zero lines have no effect and are left out. A transaction is accepted whole or not at all:
 * one that does not balance is set aside under its own id.
 */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  const features = featuresOf(answers)
  const { transactions, strays } = gatherTransactions(answers)
  for (let stray = 0; stray < strays; stray++) {
    yield { entity: 'Transactions', origId: null, unreadable: 'an accounting line without a transaction' }
  }
  for (const [id, rows] of transactions) {
    const lines = listLines(rows, features)
    if (typeof lines === 'string') {
      yield { entity: 'Transactions', origId: String(id), unreadable: lines }
      continue
    }
    for (const line of lines.filter((each) => toAmount(each) !== '0')) {
      yield { entity: 'Transactions', origId: toPostingId(line), wire: { line, currency: currencyOfLine(line, features) } }
    }
  }
}

/** Ids are integers, received as text. */
export function wholeNumber(value: Json | undefined): number | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : null
}

export function accountIdOf(row: Json | undefined): number | null {
  return wholeNumber(property(row, 'id'))
}

export function transactionOf(row: Json | undefined): number | null {
  return wholeNumber(property(row, 'transaction'))
}

/**
 * Rows by transaction. The last one of a page belongs to the next page if there is one, unless it is longer than any
 * page.
 */
function gatherTransactions(answers: Answers): { transactions: Map<number, Json[]>; strays: number } {
  const lists: List[] = []
  for (let position = 0; answers[listName(position)]; position++) lists.push(readList(answerJson(answers, listName(position))))
  const last = lists.at(-1)
  if (!last) throw new SourceError('badData', `the page lacks its answer "${LIST}"`)
  const transactions = new Map<number, Json[]>()
  let strays = 0
  for (const row of lists.flatMap((list) => list.rows)) {
    const id = transactionOf(row)
    const rows = id === null ? undefined : transactions.get(id)
    if (id === null) strays += 1
    else if (rows) rows.push(row)
    else transactions.set(id, [row])
  }
  const open = Math.max(...transactions.keys())
  if (last.hasMore && transactions.size > 1) transactions.delete(open)
  else if (last.hasMore && transactions.size === 1) transactions.set(open, [])
  return { transactions, strays }
}

/** Lines of one transaction, or the reason why it is invalid. A repeated row counts once. */
function listLines(rows: readonly Json[], features: Features): LineRow[] | string {
  if (rows.length === 0) return 'a transaction with too many lines'
  const lines = new Map<string, LineRow>()
  const totals = new Map<string | null, Decimal>()
  try {
    for (const row of rows) {
      if (!isLine.Check(row)) return 'a transaction with a line that cannot be read'
      const known = lines.get(toPostingId(row))
      if (known && JSON.stringify(known) !== JSON.stringify(row)) return 'a transaction with two lines of one id'
      if (known) continue
      parseDay(row.trandate)
      lines.set(toPostingId(row), row)
      const currency = currencyOfLine(row, features)
      totals.set(currency, add(totals.get(currency) ?? ZERO, toAmount(row)))
    }
  } catch (error) {
    if (error instanceof RangeError) return 'a transaction with an impossible date or amount'
    throw error
  }
  const isBalanced = [...totals.values()].every((total) => total === ZERO)
  return isBalanced ? [...lines.values()] : 'a transaction whose debits and credits differ'
}

const ZERO: Decimal = add()

/** Amounts are in the base currency of the line's subsidiary. */
function currencyOfLine(line: LineRow, { currencies, subsidiaries, base }: Features): string | null {
  if (subsidiaries === null) return base
  return currencies[subsidiaries[String(line.subsidiary ?? '')] ?? ''] ?? null
}

/**
 * Without subsidiaries an account that names no currency is in the one base currency; with them it may be in several.
 */
function currencyOfAccount(account: Json, { currencies, subsidiaries, base }: Features): string | null {
  const id = property(account, 'currency')
  if (typeof id === 'string' || typeof id === 'number') return currencies[String(id)] ?? null
  return subsidiaries === null ? base : null
}

function featuresOf(answers: Answers): Features {
  const features = answerJson(answers, CONTEXT)
  if (!isFeatures.Check(features)) throw new SourceError('badData', `the page holds an unreadable answer "${CONTEXT}"`)
  return features
}
