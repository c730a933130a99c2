import { expect, it } from 'vitest'
import { readInstant } from './instant-parameter.ts'

it.each<[string | undefined, string | null]>([
  [undefined, null],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T17:43:00', '2026-11-20T17:43:00.000Z'],
  ['2026-11-20T17:43:00+05:30', '2026-11-20T12:13:00.000Z'],
  ['2026-11-20T17:43:00 05:30', '2026-11-20T12:13:00.000Z'],
  ['2026-11-20T17:43:00-05:00', '2026-11-20T22:43:00.000Z'],
])('the parameter %s is the instant %s', (text, instant) => {
  expect(readInstant('from', text)?.toISOString() ?? null).toBe(instant)
})

it.each(['', 'yesterday', '2026-02-30', '2026-02-30T10:00:00', '2026-11-20T25:00:00', '2026', '2026-11-20T17:43:00 05:30 x'])(
  'the parameter %j is refused by its name',
  (text) => {
    expect(() => readInstant('from', text)).toThrow(
      expect.objectContaining({
        status: 400,
        fields: [{ field: 'from', message: 'must be an ISO 8601 date or timestamp of a day that exists' }],
      }),
    )
  },
)
