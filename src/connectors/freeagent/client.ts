import { Type } from 'typebox'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { type Answers, type Connector, type Page, type Session, SourceError } from '../contract/contract.ts'
import { cursorReader } from '../toolkit/cursors.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { checkByRefusedGrant } from '../toolkit/oauth/app-check.ts'
import { authorization, refreshCredentials, secretOf } from './authorization.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { BANK_ACCOUNTS, CATEGORIES, COMPANY, listGroups, readAccounts, readPostings, TRANSACTIONS } from './read.ts'
import { getAnswer, listPages, readCompany } from './request.ts'
import { addDays, windowEnd, type Years, yearsOf } from './windows.ts'
import { AccountWire, PostingWire } from './wire.ts'

/**
 * Months of a window: a whole year, or one when a year has more than `MAX_ROWS` transactions, so that a window is few
 * calls.
 */
const YEAR = 12
const MONTH = 1
const MAX_ROWS = 2000

const DayText = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const Cursor = Type.Object({
  /** First day of the window. */
  from: DayText,
  months: Type.Union([Type.Literal(YEAR), Type.Literal(MONTH)]),
  /** Accounting years at the start of the run. */
  years: Type.Object({ from: DayText, until: DayText, starts: Type.Array(DayText) }),
  /** Company data that the postings need. */
  books: Type.Object({ type: Type.Union([Type.String(), Type.Null()]), currency: Type.Union([Type.String(), Type.Null()]) }),
})
type Cursor = Type.Static<typeof Cursor>
const toCursor = cursorReader(Cursor)

export const freeagentConnector: Connector = {
  authorize: authorization,
  checkApp: checkByRefusedGrant(refreshCredentials),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchChart, read: readAccounts },
    { name: 'transactions', delivers: ['Transactions'], fetch: fetchWindow, read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
}

/**
 * Chart of accounts in one page: the categories with their sub-accounts, the bank accounts of some of them, and the
 * company. Categories have no change time, so a run cannot request changes only.
 * Source: https://dev.freeagent.com/docs/categories
 */
async function fetchChart({ kit, credentials }: Session): Promise<Page> {
  const { accessToken } = secretOf(credentials)
  const company = await getAnswer(kit, { accessToken, path: 'company', what: 'the company' })
  readCompany(company.body)
  const categories = await getAnswer(kit, { accessToken, path: 'categories?sub_accounts=true', what: 'the categories' })
  listGroups(categories.body)
  const banks = await listPages(kit, { accessToken, path: 'bank_accounts', what: 'the bank accounts' }, 'bank_accounts')
  const answers: Answers = { [COMPANY]: company.bytes, [CATEGORIES]: categories.bytes, ...numbered(BANK_ACCOUNTS, banks ?? []) }
  return { answers, next: null, listing: 'complete' }
}

/**
 * All transactions of one window, so that no entry is split: its postings share their day. Changes cannot be queried,
 * so every run reads all transactions.
 * Source: https://dev.freeagent.com/docs/transactions
 */
async function fetchWindow(session: Session, stored: Json | null): Promise<Page> {
  const { kit } = session
  const { accessToken } = secretOf(session.credentials)
  const at = stored === null ? await startCursor(session) : toCursor(stored)
  const years = toYears(at)
  const from = toDayOf(at.from)
  const until = windowEnd(years, from, at.months)
  const query = new URLSearchParams({ from_date: from, to_date: until })
  const call = { accessToken, path: `accounting/transactions?${query}`, what: `the transactions of ${from} to ${until}` }
  const pages = await listPages(kit, call, 'transactions', at.months === MONTH ? undefined : MAX_ROWS)
  if (pages === null) return { answers: {}, next: { ...at, from, months: MONTH }, listing: 'complete' }
  const books = jsonBytes({ company: at.books })
  const start = addDays(until, 1)
  // The next accounting year is first tried as a whole again.
  const months = years.starts.includes(start) ? YEAR : at.months
  const next = start > years.until ? null : { ...at, from: start, months }
  return { answers: { [COMPANY]: books, ...numbered(TRANSACTIONS, pages) }, next, listing: 'complete' }
}

async function startCursor({ kit, credentials }: Session): Promise<Cursor> {
  const { accessToken } = secretOf(credentials)
  const company = readCompany((await getAnswer(kit, { accessToken, path: 'company', what: 'the company' })).body)
  const years = yearsOf(company, kit.now())
  const { type, currency } = company.company
  return { from: years.from, months: YEAR, years, books: { type: type ?? null, currency: currency ?? null } }
}

function toYears({ years }: Cursor): Years {
  return { from: toDayOf(years.from), until: toDayOf(years.until), starts: years.starts.map(toDayOf) }
}

function toDayOf(text: string) {
  const day = parseDay(text)
  if (day === null) throw new SourceError('badData', 'the stored cursor holds no day')
  return day
}

/** `name.1`, `name.2`, … */
function numbered(name: string, pages: Uint8Array[]): Answers {
  return Object.fromEntries(pages.map((bytes, index) => [`${name}.${index + 1}`, bytes]))
}
