import { Compile } from 'typebox/compile'
import { add } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { toAmount } from './map.ts'
import { readCompany } from './request.ts'
import { kindAndId, lastPart, listRows, rowUrl } from './rows.ts'
import { BankAccountWire, type BooksWire, TransactionWire } from './wire.ts'

/** Names of the responses in each page; those of lists continue with `.1`, `.2`, … */
export const COMPANY = 'company'
export const CATEGORIES = 'categories'
export const BANK_ACCOUNTS = 'bankAccounts'
export const TRANSACTIONS = 'transactions'

/** The four groups that the category list always has. Source: https://dev.freeagent.com/docs/categories */
const GROUPS = ['admin_expenses_categories', 'cost_of_sales_categories', 'income_categories', 'general_categories']

const isBankAccount = Compile(BankAccountWire)
const isTransaction = Compile(TransactionWire)

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { type, currency } = readCompany(answerJson(answers, COMPANY)).company
  const company: BooksWire = { type: type ?? null, currency: currency ?? null }
  const banks = new Map(listNumbered(answers, BANK_ACCOUNTS, 'bank_accounts').map((row) => [rowUrl(row), row]))
  for (const [group, rows] of listGroups(answerJson(answers, CATEGORIES))) {
    for (const category of rows) {
      const url = rowUrl(category)
      if (url === null) {
        yield { entity: 'Accounts', origId: null, unreadable: 'a category without an address' }
        continue
      }
      const bank = property(category, 'bank_account')
      const bankAccount = typeof bank === 'string' ? (banks.get(bank) ?? null) : null
      yield {
        entity: 'Accounts',
        origId: lastPart(url),
        wire: { category, group, bankAccount: isBankAccount.Check(bankAccount) ? bankAccount : null, company },
      }
    }
  }
}

/**
 * Category lists by group, including unknown groups. Throws `badData` when one of the four required groups is missing.
 */
export function listGroups(body: Json): [group: string, rows: Json[]][] {
  const missing = GROUPS.filter((group) => !Array.isArray(property(body, group)))
  if (missing.length > 0) throw new SourceError('badData', `FreeAgent answered categories without ${missing.join(', ')}`)
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : []
  return entries.flatMap(([group, rows]) => (group.endsWith('_categories') && Array.isArray(rows) ? [[group, rows]] : []))
}

/** One item for each posting. An entry is accepted whole or not at all. */
export function* readPostings(answers: Answers): Iterable<SourceItem> {
  const { type, currency } = readCompany(answerJson(answers, COMPANY)).company
  const company: BooksWire = { type: type ?? null, currency: currency ?? null }
  const entries = new Map<string, TransactionWire[]>()
  const seen = new Set<string>()
  for (const row of listNumbered(answers, TRANSACTIONS, 'transactions')) {
    const url = rowUrl(row)
    if (url !== null && seen.has(url)) continue
    if (url !== null) seen.add(url)
    if (!isTransaction.Check(row)) {
      yield { entity: 'Transactions', origId: url === null ? null : lastPart(url), unreadable: 'a transaction that cannot be read' }
      continue
    }
    const key = entryKey(row)
    const rows = entries.get(key)
    if (rows) rows.push(row)
    else entries.set(key, [row])
  }
  for (const transactions of entries.values()) yield* readEntry(transactions, company)
}

function* readEntry(transactions: TransactionWire[], company: BooksWire): Iterable<SourceItem> {
  const [first] = transactions
  if (!first) return
  const entryId = entryIdOf(first)
  const reason = findFlaw(transactions)
  if (reason !== null) {
    yield { entity: 'Transactions', origId: entryId, unreadable: reason }
    return
  }
  for (const transaction of transactions) {
    if (toAmount(transaction) === '0') continue
    const wire = { transaction, entryId, company }
    yield { entity: 'Transactions', origId: lastPart(transaction.url), wire, ...versionAt(transaction.updated_at) }
  }
}

/** Key of an entry: its source item and day; without an item, its description and day. */
function entryKey({ source_item_url, description, dated_on }: TransactionWire): string {
  return source_item_url ? `${dated_on} ${kindAndId(source_item_url)}` : `${dated_on} "${description ?? ''}"`
}

function entryIdOf({ source_item_url, dated_on, url }: TransactionWire): string {
  return source_item_url ? `${kindAndId(source_item_url)}@${dated_on}` : kindAndId(url)
}

/** Reason why an entry is invalid; null when it is valid. */
function findFlaw(transactions: TransactionWire[]): string | null {
  try {
    for (const { dated_on } of transactions) parseDay(dated_on)
    return add(...transactions.map(toAmount)) === '0' ? null : 'an entry whose debits and credits differ'
  } catch (error) {
    if (error instanceof RangeError) return 'an entry with an impossible date or amount'
    throw error
  }
}

/** All rows of a list that spans several responses. */
function listNumbered(answers: Answers, name: string, key: string): Json[] {
  const names = Object.keys(answers).filter((each) => each.startsWith(`${name}.`))
  if (names.length === 0) throw new SourceError('badData', `the page lacks its answer "${name}"`)
  return names.flatMap((each) => listRows(answerJson(answers, each), key))
}
