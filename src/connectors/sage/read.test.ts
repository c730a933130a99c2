import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf, reasonOf } from '../toolkit/test-mapping.ts'
import { CURRENCY, LIST, readAccounts, readPostings } from './read.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function answers(list: unknown, currency: unknown = { id: 'CAD' }): Answers {
  return { [LIST]: encode(typeof list === 'string' ? list : JSON.stringify(list)), [CURRENCY]: encode(JSON.stringify(currency)) }
}

function fixture(name: string): Answers {
  return { ...answers(''), [LIST]: readFileSync(new URL(`fixtures/${name}`, import.meta.url)) }
}

function journal(lines: unknown, more: object = {}): Answers {
  return answers({ $items: [{ id: 'j5', date: '2026-01-31', journal_lines: lines, ...more }] })
}

function line(id: string, debit: unknown, credit: unknown): object {
  return { id, ledger_account: { id: 'a1' }, debit, credit }
}

describe('reading accounts', () => {
  test('every account of a page is an item, with the currency of its business and its last change as a UTC version', () => {
    const items = [...readAccounts(fixture('ledger-accounts.json'))]
    expect(items.map((item) => [Object(item).wire.base_currency, Object(item).version])).toEqual([
      [{ id: 'CAD' }, '2026-05-12T13:04:09.000Z'],
      [{ id: 'CAD' }, '2024-01-05T09:00:00.000Z'],
    ])
  })

  test('where the settings are closed the accounts have no currency', () => {
    const [item] = [...readAccounts(answers({ $items: [{ id: 'a1' }] }, null))]
    expect(item).toEqual({ entity: 'Accounts', origId: 'a1', wire: { id: 'a1', base_currency: null } })
  })

  test.each([{ name: 'Nameless' }, { id: null }, { id: '' }, { id: 7 }, null, 'text'])(
    '%j in the list is set aside, the others stay',
    (row) => {
      const items = [...readAccounts(answers({ $items: [row, { id: 'a2' }] }))]
      expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
        [true, null],
        [false, 'a2'],
      ])
    },
  )

  test('an envelope without items is an empty list', () => {
    expect([...readAccounts(answers({ $total: 0, $page: 1, $next: null, $items: [] }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"$total":2,"$items":[{"id":"a1"}'],
    ['no items', '{"$total":2}'],
    ['null for the items', '{"$items":null}'],
    ['one object for the list', '{"$items":{"id":"a1"}}'],
    ['a bare list', '[{"id":"a1"}]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers(body))])).toBe('badData')
  })
})

describe('reading journals', () => {
  test('a balanced journal gives one item for each posting; lines of zero give none', () => {
    const items = [...readPostings(fixture('journals.json'))]
    expect(items.map((item) => item.origId?.split(':')[1])).toEqual(['l1', 'l2', 'l3'])
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    expect(reasonOf(readPostings(journal([line('1', 0.1, 0), line('2', 0.2, 0), line('3', 0, 0.3)])))).toBeNull()
  })

  test('a deleted journal gives nothing, so that a complete listing ends its postings', () => {
    expect([...readPostings(journal([line('1', 5, 0), line('2', 0, 5)], { deleted_at: '2026-02-01T00:00:00Z' }))]).toEqual([])
  })

  test.each([
    ['debits and credits that differ', [line('1', 5, 0), line('2', 0, 4.99)], {}, /differ/],
    ['a line without an account', [{ id: '1', debit: 5 }, line('2', 0, 5)], {}, /cannot be read/],
    ['an amount that is no number', [line('1', 'five', 0), line('2', 0, 5)], {}, /impossible/],
    ['a day that does not exist', [line('1', 5, 0), line('2', 0, 5)], { date: '2026-02-30' }, /impossible/],
    ['two lines of one id', [line('1', 5, 0), line('1', 0, 5)], {}, /one id/],
    ['no lines', null, {}, /cannot be read/],
  ])('a journal with %s is set aside whole, under its own id', (_what, lines, more, reason) => {
    const items = [...readPostings(journal(lines, more))]
    expect(items).toEqual([{ entity: 'Transactions', origId: 'j5', unreadable: expect.stringMatching(reason) }])
  })
})
