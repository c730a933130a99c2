import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { CONTEXT, LIST, listName, readAccounts, readPostings } from './read.ts'

function answers(...lists: unknown[]): Answers {
  const encode = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  const named = lists.map((list, position) => [listName(position), encode(list)])
  return { ...Object.fromEntries(named), [CONTEXT]: encode({ currencyCode: 'CAD', after: 0 }) }
}

function fixture(name: string): Answers {
  return { ...answers(), [LIST]: readFileSync(new URL(`fixtures/${name}`, import.meta.url)) }
}

function line(entryNumber: number, debitAmount: unknown, creditAmount: unknown, more: object = {}): object {
  return {
    id: `e-${entryNumber}`,
    entryNumber,
    postingDate: '2026-01-31',
    documentNumber: 'D-1',
    accountId: 'a-1',
    debitAmount,
    creditAmount,
    ...more,
  }
}

/** Ids of postings with their entry, or the reason why an entry was set aside. */
function reported(items: Iterable<SourceItem>): string[] {
  return [...items].map((item) => {
    if ('unreadable' in item) return `${item.origId}: ${item.unreadable}`
    return `${item.origId} of ${Object('wire' in item ? item.wire : {}).entryNumber}`
  })
}

describe('reading accounts', () => {
  test('every row of a page is an item, with its last change as a UTC version', () => {
    const items = [...readAccounts(fixture('accounts.json'))]
    expect(items.map((item) => [item.origId?.slice(-2), 'version' in item ? item.version : null])).toEqual([
      ['24', '2026-05-12T16:04:09.327Z'],
      ['25', '2026-06-01T17:00:00.000Z'],
    ])
  })

  test('an account without an id is set aside, the others stay', () => {
    const items = [...readAccounts(answers({ value: [{ displayName: 'Nameless' }, { id: '2' }] }))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [false, '2'],
    ])
  })

  test('a list without rows is an empty list', () => {
    expect([...readAccounts(answers({ value: [] }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"value":[{"id":"1"}'],
    ['no value', '{"@odata.context":"x"}'],
    ['null for the value', '{"value":null}'],
    ['one object for the list', '{"value":{"id":"1"}}'],
    ['a bare list', '[]'],
    ['an unreadable link', '{"value":[],"@odata.nextLink":7}'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect([kindOf(() => [...readAccounts(answers(body))]), kindOf(() => [...readPostings(answers(body))])]).toEqual(['badData', 'badData'])
  })
})

describe('reading ledger entries', () => {
  test('a balanced entry gives one item for each posting; lines of zero give none', () => {
    expect(reported(readPostings(fixture('general-ledger-entries.json')))).toEqual([
      '12fd87a0-8414-4e11-8f6e-6045bd9dec5b of 1896',
      '14fd87a0-8414-4e11-8f6e-6045bd9dec5b of 1896',
    ])
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    expect(reported(readPostings(answers({ value: [line(1, 0.1, 0), line(2, 0.2, 0), line(3, 0, 0.3)] })))).toHaveLength(3)
  })

  test('a correction in negative amounts balances', () => {
    expect(reported(readPostings(answers({ value: [line(1, -8, 0), line(2, 0, -8)] })))).toEqual(['e-1 of 1', 'e-2 of 1'])
  })

  test('one document that balances twice is two entries', () => {
    const value = [line(1, 5, 0), line(2, 0, 5), line(3, 7, 0), line(4, 0, 7)]
    expect(reported(readPostings(answers({ value })))).toEqual(['e-1 of 1', 'e-2 of 1', 'e-3 of 3', 'e-4 of 3'])
  })

  test.each([
    ['another document', { documentNumber: 'D-2' }],
    ['another day', { postingDate: '2026-02-01' }],
  ])('%s begins another entry', (_what, more) => {
    const value = [line(1, 5, 0), line(2, 0, 5, more), line(3, 1, 0, { documentNumber: 'D-3' }), line(4, 0, 1, { documentNumber: 'D-3' })]
    expect(reported(readPostings(answers({ value })))).toEqual([
      '1: an entry whose debits and credits differ',
      '2: an entry whose debits and credits differ',
      'e-3 of 3',
      'e-4 of 3',
    ])
  })

  test('what is cut at the end of a page is left to the next page', () => {
    const value = [line(1, 5, 0), line(2, 0, 5), line(3, 7, 0)]
    expect(reported(readPostings(answers({ value, '@odata.nextLink': 'https://x/?y' })))).toEqual(['e-1 of 1', 'e-2 of 1'])
  })

  test('an entry may continue in a further response of its page', () => {
    const lists = [{ value: [line(1, 5, 0)], '@odata.nextLink': 'https://x/?y' }, { value: [line(2, 0, 5)] }]
    expect(reported(readPostings(answers(...lists)))).toEqual(['e-1 of 1', 'e-2 of 1'])
  })

  test.each([
    ['an amount that is no number', line(1, 'five', 0), /impossible/],
    ['a day that does not exist', line(1, 5, 0, { postingDate: '2026-02-30' }), /impossible/],
    ['no account', line(1, 5, 0, { accountId: null }), /cannot be read/],
    ['two lines of one id', line(1, 5, 0, { id: 'e-2' }), /one id/],
  ])('an entry with %s is set aside whole, under its first number', (_what, first, reason) => {
    const value = [first, line(2, 0, 5, { ...('postingDate' in first ? { postingDate: first.postingDate } : {}) })]
    expect([...readPostings(answers({ value }))]).toEqual([
      { entity: 'Transactions', origId: '1', unreadable: expect.stringMatching(reason) },
    ])
  })

  test('a line without a number is set aside by itself', () => {
    const value = [{ id: 'x' }, line(1, 5, 0), line(2, 0, 5)]
    expect(reported(readPostings(answers({ value })))).toEqual(['null: a ledger entry without a number', 'e-1 of 1', 'e-2 of 1'])
  })
})
