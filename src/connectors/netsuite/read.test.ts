import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { CONTEXT, LIST, listName, readAccounts, readPostings } from './read.ts'

const FEATURES = { currencies: { 1: 'USD', 2: 'CAD' }, base: 'USD', hasCurrencies: true, subsidiaries: { 1: '1', 2: '2' } }

function answersWith(features: object, ...lists: unknown[]): Answers {
  const encode = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  return { ...Object.fromEntries(lists.map((list, position) => [listName(position), encode(list)])), [CONTEXT]: encode(features) }
}

function answers(...lists: unknown[]): Answers {
  return answersWith(FEATURES, ...lists)
}

function fixture(name: string): Answers {
  return { ...answers(), [LIST]: readFileSync(new URL(`fixtures/${name}`, import.meta.url)) }
}

function line(transaction: string, position: number, amounts: object, more: object = {}): object {
  return { transaction, transactionline: String(position), account: '1', trandate: '2026-01-31', subsidiary: '1', ...amounts, ...more }
}

/** Ids of postings, or the reason why a transaction was set aside. */
function reported(items: Iterable<SourceItem>): string[] {
  return [...items].map((item) => ('unreadable' in item ? `${item.origId}: ${item.unreadable}` : (item.origId ?? '')))
}

describe('reading accounts', () => {
  test('every account of a page is an item with its currency', () => {
    const items = [...readAccounts(fixture('accounts.json'))]
    expect(items.map((item) => [item.origId, 'wire' in item ? Object(item.wire).currency : undefined])).toEqual([
      ['239', 'CAD'],
      ['-5', null],
    ])
  })

  test('without subsidiaries an account that names no currency is in the base currency', () => {
    const list = { items: [{ id: '1' }, { id: '2', currency: '2' }], hasMore: false }
    const items = [...readAccounts(answersWith({ ...FEATURES, subsidiaries: null }, list))]
    expect(items.map((item) => ('wire' in item ? Object(item.wire).currency : undefined))).toEqual(['USD', 'CAD'])
  })

  test('an account without an id is set aside, the others stay', () => {
    const items = [...readAccounts(answers({ items: [{ fullname: 'Nameless' }, { id: '2' }], hasMore: false }))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [false, '2'],
    ])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"count":2,"hasMore":false,"items":[{"id":"1"}'],
    ['no items', '{"count":0,"hasMore":false}'],
    ['no word about more', '{"items":[]}'],
    ['null for the items', '{"items":null,"hasMore":false}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect([kindOf(() => [...readAccounts(answers(body))]), kindOf(() => [...readPostings(answers(body))])]).toEqual(['badData', 'badData'])
  })
})

describe('reading transactions', () => {
  test('a balanced transaction gives one item for each posting; lines of zero give none', () => {
    expect(reported(readPostings(fixture('accounting-lines.json')))).toEqual(['146:0', '146:1'])
  })

  test('amounts are added exactly: .1 and .2 balance .3', () => {
    const items = [line('5', 0, { debit: '.1' }), line('5', 1, { debit: '.2' }), line('5', 2, { credit: '.3' })]
    expect(reported(readPostings(answers({ items, hasMore: false })))).toHaveLength(3)
  })

  test('a negative debit counts as a credit', () => {
    const items = [line('5', 0, { debit: '-8' }), line('5', 1, { debit: '8.00' })]
    expect(reported(readPostings(answers({ items, hasMore: false })))).toEqual(['5:0', '5:1'])
  })

  test('each currency of an intercompany transaction balances by itself', () => {
    const canada = { subsidiary: '2' }
    const items = [
      line('5', 0, { debit: '8' }),
      line('5', 1, { credit: '8' }),
      line('5', 2, { debit: '11' }, canada),
      line('5', 3, { credit: '11' }, canada),
    ]
    expect(reported(readPostings(answers({ items, hasMore: false })))).toHaveLength(4)
    const crossed = [line('6', 0, { debit: '8' }), line('6', 1, { credit: '8' }, canada)]
    expect(reported(readPostings(answers({ items: crossed, hasMore: false })))).toEqual([
      '6: a transaction whose debits and credits differ',
    ])
  })

  test('the transaction that a page is cut in is left to the next page', () => {
    const items = [line('5', 0, { debit: '8' }), line('5', 1, { credit: '8' }), line('6', 0, { debit: '1' })]
    expect(reported(readPostings(answers({ items, hasMore: true })))).toEqual(['5:0', '5:1'])
  })

  test('a transaction may continue in a further response of its page', () => {
    const lists = [
      { items: [line('5', 0, { debit: '8' })], hasMore: true },
      { items: [line('5', 1, { credit: '8' })], hasMore: false },
    ]
    expect(reported(readPostings(answers(...lists)))).toEqual(['5:0', '5:1'])
  })

  test('a transaction that no page can hold is set aside', () => {
    expect(reported(readPostings(answers({ items: [line('5', 0, { debit: '8' })], hasMore: true })))).toEqual([
      '5: a transaction with too many lines',
    ])
  })

  test('a line that comes twice counts once', () => {
    const items = [line('5', 0, { debit: '8' }), line('5', 1, { credit: '8' }), line('5', 0, { debit: '8' })]
    expect(reported(readPostings(answers({ items, hasMore: false })))).toEqual(['5:0', '5:1'])
  })

  test.each([
    ['debits and credits that differ', line('5', 0, { debit: '5.01' }), /differ/],
    ['an amount that is no number', line('5', 0, { debit: 'five' }), /impossible/],
    ['a day that does not exist', line('5', 0, { debit: '5' }, { trandate: '2026-02-30' }), /impossible/],
    ['no account', line('5', 0, { debit: '5' }, { account: null }), /cannot be read/],
    ['two lines of one id', line('5', 1, { debit: '5' }), /one id/],
  ])('a transaction with %s is set aside whole, under its own id', (_what, first, reason) => {
    const items = [first, line('5', 1, { credit: '5' })]
    expect([...readPostings(answers({ items, hasMore: false }))]).toEqual([
      { entity: 'Transactions', origId: '5', unreadable: expect.stringMatching(reason) },
    ])
  })

  test('a line without a transaction is set aside by itself', () => {
    const items = [{ debit: '1' }, line('5', 0, { debit: '5' }), line('5', 1, { credit: '5' })]
    expect(reported(readPostings(answers({ items, hasMore: false })))).toEqual([
      'null: an accounting line without a transaction',
      '5:0',
      '5:1',
    ])
  })
})
