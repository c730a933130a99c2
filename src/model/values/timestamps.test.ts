import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dayToOffsetTimestamp, parseDay, parseInstant, toDay, toOffsetTimestamp, toPlainTimestamp } from './timestamps.ts'

describe('a day', () => {
  it.each([
    ['2026-11-23', '2026-11-23'],
    ['2024-02-29', '2024-02-29'],
    ['2026-03-31T23:59:59-08:00', '2026-03-31'],
  ])('of %s is %s, never shifted by a zone', (text, day) => {
    expect(parseDay(text)).toBe(day)
  })

  it.each([null, undefined, ''])('of %j is absent', (text) => {
    expect(parseDay(text)).toBeNull()
  })

  it.each(['2026-02-29', '2026-00-10', '2026-13-01', '2026-04-31', '2026-01-00', '2026-01-32', 'x2026-01-01', '26-01-01', 'yesterday'])(
    'of %s is refused',
    (text) => {
      expect(() => parseDay(text)).toThrow(RangeError)
    },
  )

  it.each([
    [2026, 1.5, 1],
    [2026, 1, 1.5],
    [Number.NaN, 1, 1],
    [2026, 12, 32],
    [2026, 2, 30],
    [99, 1, 31],
    [99, 1, 5],
    [10_000, 1, 5],
    [10_000, 1, 31],
  ])('made of %s, %s and %s is refused', (year, month, day) => {
    expect(() => toDay(year, month, day)).toThrow(RangeError)
  })
})

describe('an instant', () => {
  // Independent of the machine's own time zone.
  beforeEach(() => void vi.stubEnv('TZ', 'America/Toronto'))
  afterEach(() => void vi.unstubAllEnvs())

  it('is printed in UTC, with and without saying so', () => {
    const instant = new Date('2026-11-20T12:43:00.123-05:00')
    expect([toPlainTimestamp(instant), toOffsetTimestamp(instant)]).toEqual(['2026-11-20T17:43:00.123', '2026-11-20T17:43:00.123+00:00'])
  })

  it('that stands for a day is its midnight in UTC; for none it is absent', () => {
    expect([dayToOffsetTimestamp(parseDay('2026-11-20')), dayToOffsetTimestamp(null)]).toEqual(['2026-11-20T00:00:00+00:00', null])
  })

  it.each([
    ['2026-11-23T10:00:00Z', '2026-11-23T10:00:00.000Z'],
    ['2026-11-23T10:00:00', '2026-11-23T10:00:00.000Z'],
    ['2026-11-23T10:00:00-05:00', '2026-11-23T15:00:00.000Z'],
    ['2026-11-23T10:00:00+0530', '2026-11-23T04:30:00.000Z'],
    ['2026-11-23T10:00', '2026-11-23T10:00:00.000Z'],
    ['2026-11-23', '2026-11-23T00:00:00.000Z'],
    ['+002026-03-30T10:00:00Z', '2026-03-30T10:00:00.000Z'],
  ])('of %s is %s: without a zone it is UTC', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant)
  })

  it.each([null, undefined, ''])('of %j is absent', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  it.each(['2026-11-23T25:00:00', '2026-02-30T99:00:00Z', '2026-02-30T10:00:00Z', '2026-02-29', '2026-04-31T10:00:00-05:00', 'soon'])(
    'of %s is refused',
    (text) => {
      expect(() => parseInstant(text)).toThrow(RangeError)
    },
  )
})
