import { describe, expect, test } from 'vitest'
import { type Day, parseDay } from '../../model/values/timestamps.ts'
import { windowEnd, yearsOf } from './windows.ts'

const TODAY = new Date('2026-07-01T12:00:00Z')

function day(text: string): Day {
  const parsed = parseDay(text)
  if (parsed === null) throw new Error('no day')
  return parsed
}

describe('the accounting years', () => {
  test('are those that FreeAgent lists', () => {
    const annual_accounting_periods = [
      { starts_on: '2025-03-01', ends_on: '2026-02-28' },
      { starts_on: '2024-02-13', ends_on: '2025-02-28' },
    ]
    expect(yearsOf({ company: { annual_accounting_periods, freeagent_start_date: '2024-02-13' } }, TODAY)).toEqual({
      from: '2024-02-13',
      until: '2026-02-28',
      starts: ['2025-03-01'],
    })
  })

  test('follow from the end of the first one where none are listed, with the leap day when a year ends with February', () => {
    const years = yearsOf({ company: { freeagent_start_date: '2023-05-01', first_accounting_year_end: '2024-02-29' } }, TODAY)
    expect(years).toEqual({ from: '2023-05-01', until: '2027-02-28', starts: ['2024-03-01', '2025-03-01', '2026-03-01'] })
  })

  test('of a company that says nothing of them are bad data', () => {
    expect(() => yearsOf({ company: {} }, TODAY)).toThrow(/accounting years/)
  })
})

describe('a window', () => {
  const years = { from: day('2024-04-06'), until: day('2027-04-05'), starts: [day('2025-04-06'), day('2026-04-06')] }

  test.each([
    ['2024-04-06', 12, '2025-03-31'],
    ['2025-04-01', 12, '2025-04-05'],
    ['2025-04-06', 1, '2025-04-30'],
    ['2025-12-01', 1, '2025-12-31'],
    ['2026-04-01', 1, '2026-04-05'],
    ['2027-04-01', 12, '2027-04-05'],
  ])('from %s for %i months ends on %s: never beyond its accounting year', (from, months, end) => {
    expect(windowEnd(years, day(from), months)).toBe(end)
  })
})
