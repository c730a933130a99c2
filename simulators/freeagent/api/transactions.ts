import type { Row } from '../../kit/data/edited-list.ts'
import type { Company } from '../data/companies.ts'
import type { Books } from '../data/ledger.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Transactions of a period within one accounting year, in order of date; without a period, of the year to date.
 * Returns a text with the reason if the period is refused.
 * Source: https://dev.freeagent.com/docs/transactions
 */
export function findTransactions(books: Books, query: URLSearchParams, now: Date): Row[] | string {
  const today = now.toISOString().slice(0, 10)
  const from = query.get('from_date') ?? yearOf(books.company, today).from
  const to = query.get('to_date') ?? today
  if (!DAY.test(from) || !DAY.test(to) || from > to) return 'from_date and to_date must be dates in order'
  if (yearOf(books.company, from).from !== yearOf(books.company, to).from) return 'The date range must not span accounting years'
  const code = query.get('nominal_code')
  return books.transactions.rows
    .filter((row) => isWithin(String(row.dated_on), from, to) && (code === null || row.nominal_code === code))
    .sort((a, b) => String(a.dated_on).localeCompare(String(b.dated_on)))
}

function isWithin(day: string, from: string, to: string): boolean {
  return day >= from && day <= to
}

function yearOf(company: Company, day: string): { from: string } {
  const ended = company.yearEnds.filter((end) => end < day).at(-1)
  return { from: ended === undefined ? company.startedOn : new Date(Date.parse(ended) + 86_400_000).toISOString().slice(0, 10) }
}
