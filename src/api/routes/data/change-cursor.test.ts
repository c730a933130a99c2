import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ChangePosition } from '../../../store/changes/read-changes.ts'
import { type CursorFilter, printChangeCursor, readChangeCursor } from './change-cursor.ts'

const [FEED, PLACE, COMPANY, SERVICE, RECORD] = [1, 2, 3, 4, 5].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
  string,
  string,
]
const FROM = '2026-11-20 12:00:00.123456+00'
const ALL: CursorFilter = { companyId: null, entity: null }

const POSITIONS: [string, ChangePosition][] = [
  ['at the beginning of the feed', { feedId: FEED, position: '0', placeId: null, isStarting: true, mark: null }],
  [
    'within what is published',
    {
      feedId: FEED,
      position: '7',
      placeId: null,
      isStarting: true,
      mark: { companyId: COMPANY, serviceId: SERVICE, entity: 'Accounts', id: RECORD },
    },
  ],
  ['between two places', { feedId: FEED, position: '999999999999999999', placeId: PLACE, isStarting: false, mark: null }],
  [
    'within a place',
    { feedId: FEED, position: '8', placeId: PLACE, isStarting: false, mark: { entity: 'Transactions', from: FROM, id: RECORD } },
  ],
  [
    'within a place without a beginning',
    { feedId: FEED, position: '8', placeId: PLACE, isStarting: false, mark: { entity: 'Accounts', from: '-infinity', id: RECORD } },
  ],
]

/** A text with the checksum of a cursor, whatever it says. */
function checked(content: unknown): string {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  return Buffer.concat([createHash('sha256').update(body).digest().subarray(0, 6), body]).toString('base64url')
}

describe('the cursor of a position', () => {
  it.each(POSITIONS)('%s is read as it was written, with what it was given for', (_what, position) => {
    for (const filter of [ALL, { companyId: COMPANY, entity: 'Accounts' } as const, { companyId: null, entity: 'Transactions' } as const]) {
      const cursor = printChangeCursor(position, filter)
      expect(readChangeCursor(cursor)).toEqual({ position, filter })
      expect(cursor).toMatch(/^[\w-]{1,1000}$/)
    }
  })

  it.each(POSITIONS)('%s is none once any sign of it is missing, added or changed', (_what, position) => {
    const cursor = printChangeCursor(position, ALL)
    const changed = [...cursor].map((sign, at) => `${cursor.slice(0, at)}${sign === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`)
    const others = [...changed, cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]
    expect(others.filter((each) => readChangeCursor(each) !== null)).toEqual([])
  })
})

describe('a text is no cursor', () => {
  const whole = [FEED, '7', null, [null, null], null]
  it('unless it has all of one', () => {
    expect(readChangeCursor(checked(whole))).not.toBeNull()
  })

  it.each<[string, unknown]>([
    ['that is empty', ''],
    ['that is no JSON', '[1,'],
    ['that is no list', {}],
    ['of another feed’s kind', ['x', ...whole.slice(1)]],
    ['with a position that is a number', [FEED, 7, ...whole.slice(2)]],
    ['with a position of 19 digits', [FEED, '1'.repeat(19), ...whole.slice(2)]],
    ['with a negative position', [FEED, '-1', ...whole.slice(2)]],
    ['with a place in capital letters', [FEED, '7', 'ABCDEF00-0000-4000-8000-000000000002', ...whole.slice(3)]],
    ['for another kind of record', [...whole.slice(0, 3), [null, 'Invoices'], null]],
    ['without what it is for', [...whole.slice(0, 3), [], null]],
    ['with one part more', [...whole, null]],
    ['with one part less', whole.slice(0, -1)],
    ['with another word', [...whole.slice(0, 4), ['some']]],
    ['with half of a mark', [...whole.slice(0, 4), ['all', COMPANY]]],
    ['with a place that has no record', [...whole.slice(0, 4), ['place', 'Accounts', FROM]]],
  ])('%s', (_what, content) => {
    expect(readChangeCursor(checked(content))).toBeNull()
  })

  it.each([
    ['2026-11-20 12:00:00+00', true],
    ['2026-02-28 23:59:59.1+15:59', true],
    ['2024-02-29 00:00:00-05', true],
    ['0001-01-01 00:00:00+00', true],
    ['0000-01-01 00:00:00+00', false],
    ['2026-02-29 00:00:00+00', false],
    ['2026-11-31 00:00:00+00', false],
    ['2026-13-01 00:00:00+00', false],
    ['2026-00-01 00:00:00+00', false],
    ['2026-11-00 00:00:00+00', false],
    ['2026-11-20 24:00:00+00', false],
    ['2026-11-20 12:60:00+00', false],
    ['2026-11-20 12:00:60+00', false],
    ['2026-11-20 12:00:00.1234567+00', false],
    ['2026-11-20 12:00:00+16', false],
    ['2026-11-20 12:00:00', false],
    ['2026-11-20T12:00:00+00', false],
    ['infinity', false],
    ['x-infinity', false],
    ['-infinity ', false],
    ['', false],
  ])('unless its instant is one that the database prints: %j', (from, isTaken) => {
    expect(readChangeCursor(checked([FEED, '7', PLACE, [null, null], ['place', 'Accounts', from, RECORD]])) !== null).toBe(isTaken)
  })
})
