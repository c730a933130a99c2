import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { readAccounts, readPostings } from './read.ts'

const COMPANY = fixture('company.json')

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url))
}

function bytes(body: unknown): Uint8Array {
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function chart(categories: Uint8Array, bankAccounts = fixture('bank-accounts.json')): Answers {
  return { company: COMPANY, categories, 'bankAccounts.1': bankAccounts }
}

function line(id: number, amount: unknown, more: object = {}): object {
  return {
    url: `https://api.freeagent.com/v2/accounting/transactions/${id}`,
    dated_on: '2026-01-31',
    description: 'Invoice 7',
    category: 'https://api.freeagent.com/v2/categories/681',
    debit_value: amount,
    source_item_url: 'https://api.freeagent.com/v2/invoices/7',
    updated_at: '2026-02-01T10:00:00.000Z',
    ...more,
  }
}

function pages(...lists: object[][]): Answers {
  const numbered = lists.map((transactions, index) => [`transactions.${index + 1}`, bytes({ transactions })])
  return { company: COMPANY, ...Object.fromEntries(numbered) }
}

function entriesOf(items: Iterable<SourceItem>): string[] {
  return [...items].map((item) =>
    'unreadable' in item ? `${item.origId}: ${item.unreadable}` : `${item.origId} of ${Object(item).wire.entryId}`,
  )
}

describe('reading accounts', () => {
  test('categories of all groups are items, known by the last part of their address, with their bank accounts', () => {
    const items = [...readAccounts(chart(fixture('categories.json')))]
    expect(items.map((item) => [item.origId, Object(item).wire.group, Object(item).wire.bankAccount?.type])).toEqual([
      ['285', 'admin_expenses_categories', undefined],
      ['001', 'income_categories', undefined],
      ['750-12', 'general_categories', 'CreditCardAccount'],
    ])
  })

  test('a category without an address is set aside, a new group is read as well', () => {
    const lists = { admin_expenses_categories: [{}], cost_of_sales_categories: [], income_categories: [], general_categories: [] }
    const items = [...readAccounts(chart(bytes({ ...lists, pension_categories: [{ url: '/v2/categories/990' }] })))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [false, '990'],
    ])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<html></html>'],
    ['a cut page', '{"income_categories":[{"url":"/v2/cat'],
    ['nothing', '{}'],
    ['three of the four groups', '{"admin_expenses_categories":[],"cost_of_sales_categories":[],"income_categories":[]}'],
    ['a bare list', '[]'],
  ])('%s for the categories is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(chart(bytes(body)))])).toBe('badData')
  })

  test('a page without its bank accounts is bad data', () => {
    expect(kindOf(() => [...readAccounts({ company: COMPANY, categories: fixture('categories.json') })])).toBe('badData')
  })
})

describe('reading transactions', () => {
  test('what one item posted on one day is one entry, over all answers of the page', () => {
    const items = readPostings(pages([line(1, '120.0'), line(2, '-100.0')], [line(3, '-20.0')]))
    expect(entriesOf(items)).toEqual(['1', '2', '3'].map((id) => `${id} of invoices/7@2026-01-31`))
  })

  test('one item on two days is two entries', () => {
    const later = { dated_on: '2026-02-28' }
    const items = readPostings(pages([line(1, '5.0'), line(2, '-5.0'), line(3, '8.0', later), line(4, '-8.0', later)]))
    expect(new Set(entriesOf(items).map((text) => text.split('@')[1]))).toEqual(new Set(['2026-01-31', '2026-02-28']))
  })

  test('without an item, what bears the same words on one day is one entry, named after its first transaction', () => {
    const bare = { source_item_url: null, description: 'Depreciation' }
    expect(entriesOf(readPostings(pages([line(8, '5.0', bare), line(9, '-5.0', bare)])))).toEqual([
      '8 of transactions/8',
      '9 of transactions/8',
    ])
  })

  test('a transaction that comes on two pages counts once', () => {
    expect(entriesOf(readPostings(pages([line(1, '5.0')], [line(1, '5.0'), line(2, '-5.0')])))).toHaveLength(2)
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    expect(entriesOf(readPostings(pages([line(1, '0.1'), line(2, '0.2'), line(3, '-0.3')])))).toHaveLength(3)
  })

  test('transactions of zero move nothing and are left out', () => {
    expect(entriesOf(readPostings(pages([line(1, '5.0'), line(2, '0.0'), line(3, '-5.0')])))).toHaveLength(2)
  })

  test.each([
    ['debits and credits that differ', [line(1, '5.0'), line(2, '-4.99')], 'differ'],
    ['an amount that is no number', [line(1, 'five'), line(2, '-5.0')], 'impossible'],
    ['an empty amount', [line(1, ''), line(2, '-5.0')], 'impossible'],
    ['a day that does not exist', [line(1, '5.0', { dated_on: '2026-02-30' }), line(2, '-5.0', { dated_on: '2026-02-30' })], 'impossible'],
  ])('an entry with %s is set aside whole', (_what, lines, reason) => {
    const texts = entriesOf(readPostings(pages(lines)))
    expect(texts).toEqual([expect.stringMatching(new RegExp(`^invoices/7@.*${reason}`))])
  })

  test('a transaction that cannot be read is set aside, and with it the entry that it leaves unbalanced', () => {
    const texts = entriesOf(readPostings(pages([line(1, '5.0', { category: null }), line(2, '-5.0')])))
    expect(texts).toEqual(['1: a transaction that cannot be read', expect.stringContaining('differ')])
  })

  test.each([
    ['a cut page', '{"transactions":[{"url":"x"'],
    ['no list', '{}'],
    ['an error', '{"errors":[{"message":"x"}]}'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readPostings({ company: COMPANY, 'transactions.1': bytes(body) })])).toBe('badData')
  })
})
