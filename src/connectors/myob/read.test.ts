import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf, reasonOf } from '../toolkit/test-mapping.ts'
import { readAccounts, readPostings } from './read.ts'

function answers(body: unknown): Answers {
  const bytes = (text: string) => new TextEncoder().encode(text)
  return { list: bytes(typeof body === 'string' ? body : JSON.stringify(body)), currency: bytes('"AUD"') }
}

function fixture(name: string): Answers {
  return answers(readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8'))
}

function journal(lines: unknown, more: object = {}): Answers {
  return answers({ Items: [{ UID: 'j1', DateOccurred: '2026-01-31T00:00:00', Lines: lines, ...more }], NextPageLink: null, Count: 1 })
}

function line(amount: unknown, isCredit: unknown): object {
  return { Account: { UID: 'a1' }, Amount: amount, IsCredit: isCredit }
}

describe('reading accounts', () => {
  test('every account of a page is an item, with the currency of its company file', () => {
    const items = [...readAccounts(fixture('accounts.json'))]
    expect(items.map((item) => [item.origId, Object(item).wire.baseCurrency])).toEqual([
      ['a1b2c3d4-0000-4000-8000-000000000001', 'AUD'],
      ['a1b2c3d4-0000-4000-8000-000000000002', 'AUD'],
    ])
  })

  test('an account without a UID is set aside, the others stay', () => {
    const items = [...readAccounts(answers({ Items: [{ Name: 'x' }, null, { UID: 'a' }] }))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [true, null],
      [false, 'a'],
    ])
  })

  test('a list without rows is an empty list', () => {
    expect([...readAccounts(answers({ Items: [], NextPageLink: null, Count: 0 }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"Items":[{"UID":"1"}'],
    ['no Items', '{"Count":0}'],
    ['null for the Items', '{"Items":null}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers(body))])).toBe('badData')
  })

  test('a page without the currency of its file is bad data', () => {
    const { list } = fixture('accounts.json')
    expect(kindOf(() => [...readAccounts(list ? { list } : {})])).toBe('badData')
  })
})

describe('reading journal transactions', () => {
  test('a balanced transaction gives one item for each posting, known by its place; lines of zero give none', () => {
    const items = [...readPostings(fixture('journals.json'))]
    expect(items.map((item) => item.origId?.slice(-3))).toEqual(['1:1', '1:2', '1:3'].map((id) => id.padStart(3, '0')))
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    expect(reasonOf(readPostings(journal([line(0.1, false), line(0.2, false), line(0.3, true)])))).toBeNull()
  })

  test('a negative debit counts as a credit', () => {
    expect(reasonOf(readPostings(journal([line(-8, false), line('8.00', false)])))).toBeNull()
  })

  test.each([
    ['debits and credits that differ', [line(5, false), line(4.99, true)], {}, /differ/],
    ['an unknown side', [line(5, 'maybe'), line(5, true)], {}, /cannot be read/],
    ['an amount that is no number', [line('five', false), line(5, true)], {}, /impossible/],
    ['an empty amount', [line('', false), line(5, true)], {}, /impossible/],
    ['a day that does not exist', [line(5, false), line(5, true)], { DateOccurred: '2026-02-30T00:00:00' }, /impossible/],
    ['no lines', null, {}, /cannot be read/],
  ])('a transaction with %s is set aside whole, under its own id', (_what, lines, more, reason) => {
    const items = [...readPostings(journal(lines, more))]
    expect(items).toEqual([{ entity: 'Transactions', origId: 'j1', unreadable: expect.stringMatching(reason) }])
  })
})
