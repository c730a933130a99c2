import { type Day, parseDay, toDay } from '../../model/values/timestamps.ts'
import { SourceError } from '../contract/contract.ts'
import type { CompanyWire } from './wire.ts'

/** Accounting years of a company that may contain transactions. */
export interface Years {
  /** First day of the first year. */
  from: Day
  /** Last day of the last year. */
  until: Day
  /** First days of all years but the first, in order. */
  starts: Day[]
}

/**
 * Accounting years of a company. No transaction window may cross from one year into the next. Throws `badData` when the
 * company has no start date.
 * Source: https://dev.freeagent.com/docs/transactions
 */
export function yearsOf({ company }: CompanyWire, today: Date): Years {
  try {
    const listed = company.annual_accounting_periods ?? []
    const periods =
      listed.length > 0 ? listed.map(({ starts_on, ends_on }) => ({ from: day(starts_on), until: day(ends_on) })) : derived(company, today)
    const sorted = periods.sort((a, b) => a.from.localeCompare(b.from))
    const began = [company.freeagent_start_date, sorted[0]?.from].flatMap((text) => parseDay(text) ?? []).sort()[0]
    const until = sorted.at(-1)?.until
    if (began === undefined || until === undefined) throw new RangeError('no accounting year')
    return { from: began, until, starts: sorted.map(({ from }) => from).filter((start) => start > began) }
  } catch (error) {
    if (error instanceof RangeError)
      throw new SourceError('badData', 'FreeAgent does not say when the accounting years of the company begin')
    throw error
  }
}

/** Last day of the window that begins on `from`: at most the given number of months, within one accounting year. */
export function windowEnd(years: Years, from: Day, months: number): Day {
  const nextStart = years.starts.find((start) => start > from)
  const [year, month] = parts(from)
  // Day 0 is the last day of the previous month.
  const byMonths = dayOf(new Date(Date.UTC(year, month - 1 + months, 0)))
  const ends = [byMonths, years.until, ...(nextStart === undefined ? [] : [addDays(nextStart, -1)])]
  return ends.reduce((first, end) => (end < first ? end : first))
}

export function addDays(from: Day, days: number): Day {
  const [year, month, date] = parts(from)
  return dayOf(new Date(Date.UTC(year, month - 1, date + days)))
}

/** Twelve-month years after the first one, up to today's. */
function derived(company: CompanyWire['company'], today: Date): { from: Day; until: Day }[] {
  const firstEnd = day(company.first_accounting_year_end)
  const periods = [{ from: day(company.freeagent_start_date ?? company.company_start_date), until: firstEnd }]
  for (let until = firstEnd; until < dayOf(today); ) {
    const from = addDays(until, 1)
    const [year, month] = parts(until)
    const [, , date] = parts(firstEnd)
    const lastDate = new Date(Date.UTC(year + 1, month, 0)).getUTCDate()
    // A year that ends with February ends there in leap years too.
    until = toDay(year + 1, month, isMonthEnd(firstEnd) ? lastDate : Math.min(date, lastDate))
    periods.push({ from, until })
  }
  return periods
}

function isMonthEnd(each: Day): boolean {
  return addDays(each, 1).endsWith('-01')
}

function day(text: string | null | undefined): Day {
  const parsed = parseDay(text)
  if (parsed === null) throw new RangeError('no day')
  return parsed
}

function parts(each: Day): [number, number, number] {
  return [Number(each.slice(0, 4)), Number(each.slice(5, 7)), Number(each.slice(8, 10))]
}

function dayOf(date: Date): Day {
  return toDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}
