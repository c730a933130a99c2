import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { journalAnswer, LIST, REFUSED, readAccounts, readPostings } from './read.ts'

const ENCODER = new TextEncoder()

function bytes(body: unknown): Uint8Array {
  return ENCODER.encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url))
}

function journal(line_items: unknown, more: object = {}): Answers {
  const row = { journal_id: '5', journal_date: '2026-01-31', status: 'published', line_items, ...more }
  return { [LIST]: bytes({ journals: [{ journal_id: '5' }] }), [journalAnswer('5')]: bytes({ code: 0, journal: row }) }
}

function line(id: string, side: string, amount: unknown): object {
  return { line_id: id, account_id: 'a', debit_or_credit: side, amount }
}

describe('reading accounts', () => {
  test('every account is an item, with its last change (or its creation) as a UTC version', () => {
    const items = [...readAccounts({ [LIST]: fixture('accounts.json') })]
    expect(items.map((item) => [item.origId, 'version' in item ? item.version : null])).toEqual([
      ['260815000000000361', '2026-06-09T17:14:49.000Z'],
      ['260815000000093008', '2026-06-09T03:44:47.000Z'],
    ])
  })

  test.each([[{ account_name: 'Nameless' }], [{ account_id: '' }], [{ account_id: 7 }], [null], ['text']])(
    '%j, which has no id, is set aside and its neighbour stays',
    (row) => {
      const items = [...readAccounts({ [LIST]: bytes({ chartofaccounts: [row, { account_id: '2' }] }) })]
      expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
        [true, null],
        [false, '2'],
      ])
    },
  )

  test('an empty list of accounts is an empty list', () => {
    expect([...readAccounts({ [LIST]: bytes({ code: 0, chartofaccounts: [] }) })]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"code":0,"chartofaccounts":[{"account_id":"1"}'],
    ['no list', '{"code":0,"message":"success"}'],
    ['the list of something else', '{"code":0,"journals":[]}'],
    ['one object for the list', '{"chartofaccounts":{"account_id":"1"}}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts({ [LIST]: bytes(body) })])).toBe('badData')
  })
})

describe('reading journals', () => {
  test('a journal gives one item for each posting; lines of zero give none', () => {
    const answers = { [LIST]: bytes({ journals: [] }), [journalAnswer('260815000000113035')]: fixture('journal.json') }
    expect([...readPostings(answers)].map((item) => [item.origId, 'version' in item ? item.version : null])).toEqual([
      ['260815000000113035:260815000000113040', '2026-06-09T17:16:09.000Z'],
      ['260815000000113035:260815000000113042', '2026-06-09T17:16:09.000Z'],
    ])
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    const items = [...readPostings(journal([line('1', 'debit', 0.1), line('2', 'debit', 0.2), line('3', 'credit', 0.3)]))]
    expect(items.filter((item) => 'unreadable' in item)).toEqual([])
  })

  test('a negative debit counts as a credit', () => {
    const items = [...readPostings(journal([line('1', 'debit', -8), line('2', 'debit', '8.00')]))]
    expect(items.filter((item) => 'unreadable' in item)).toEqual([])
  })

  test.each([
    ['debits and credits that differ', [line('1', 'debit', 5), line('2', 'credit', 4.99)], {}, /differ/],
    ['an unknown side', [line('1', 'sideways', 5), line('2', 'credit', 5)], {}, /cannot be read/],
    ['an amount that is no number', [line('1', 'debit', 'five'), line('2', 'credit', 5)], {}, /impossible/],
    ['an empty amount', [line('1', 'debit', ''), line('2', 'credit', 5)], {}, /empty amount/],
    ['a day that does not exist', [line('1', 'debit', 5), line('2', 'credit', 5)], { journal_date: '2026-02-30' }, /impossible/],
    ['two lines of one id', [line('1', 'debit', 5), line('1', 'credit', 5)], {}, /one id/],
    ['tax', [line('1', 'debit', 5), line('2', 'credit', 5)], { taxes: [{ tax_amount: 0.25 }] }, /tax/],
    ['a status of another kind', [line('1', 'debit', 5), line('2', 'credit', 5)], { status: 'pending_approval' }, /status/],
    ['no lines', null, {}, /cannot be read/],
  ])('a journal with %s is set aside whole, under its own id', (_what, lines, more, reason) => {
    expect([...readPostings(journal(lines, more))]).toEqual([
      { entity: 'Transactions', origId: '5', unreadable: expect.stringMatching(reason) },
    ])
  })

  test('a tax of nothing is no tax', () => {
    const items = [...readPostings(journal([line('1', 'debit', 5), line('2', 'credit', 5)], { taxes: [{ tax_amount: 0 }, {}] }))]
    expect(items.map((item) => item.origId)).toEqual(['5:1', '5:2'])
  })

  test('a draft is left out', () => {
    expect([...readPostings(journal([line('1', 'debit', 5)], { status: 'draft' }))]).toEqual([])
  })

  test('a row of the list without an id is set aside', () => {
    expect([...readPostings({ [LIST]: bytes({ journals: [{ notes: 'x' }] }) })]).toEqual([
      { entity: 'Transactions', origId: null, unreadable: 'a journal without a journal_id' },
    ])
  })

  test('a cut journal is bad data', () => {
    const answers = { [LIST]: bytes({ journals: [] }), [journalAnswer('5')]: bytes('{"code":0,"journal":{"jour') }
    expect(kindOf(() => [...readPostings(answers)])).toBe('badData')
  })

  test('a page that was only looked at, and one that says that journals may not be read, hold no records', () => {
    expect([...readPostings({}), ...readPostings({ [REFUSED]: bytes('{"code":57}') }), ...readAccounts({})]).toEqual([])
  })
})
