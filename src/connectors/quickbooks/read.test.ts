import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf, reasonOf } from '../toolkit/test-mapping.ts'
import { ANSWER, readAccounts, readPostings } from './read.ts'

function answers(body: unknown): Answers {
  return { [ANSWER]: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) }
}

function fixture(name: string): Answers {
  return { [ANSWER]: readFileSync(new URL(`fixtures/${name}`, import.meta.url)) }
}

function entry(lines: object[], more: object = {}): Answers {
  return answers({ QueryResponse: { JournalEntry: [{ Id: '5', TxnDate: '2026-01-31', Line: lines, ...more }] } })
}

function line(id: string, side: string, amount: unknown): object {
  return {
    Id: id,
    Amount: amount,
    DetailType: 'JournalEntryLineDetail',
    JournalEntryLineDetail: { PostingType: side, AccountRef: { value: '1' } },
  }
}

describe('reading accounts', () => {
  test('every account of a page is an item, with its last change (or its creation) as a UTC version', () => {
    const items = [...readAccounts(fixture('accounts.json'))]
    expect(items.map((item) => [item.origId, 'version' in item ? item.version : null])).toEqual([
      ['33', '2026-05-12T16:04:09.000Z'],
      ['34', '2026-06-01T17:00:00.000Z'],
    ])
  })

  test('an account without an Id is set aside, the others stay', () => {
    const items = [...readAccounts(answers({ QueryResponse: { Account: [{ Name: 'Nameless' }, { Id: '2' }] } }))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [false, '2'],
    ])
  })

  test('a QueryResponse without accounts is an empty list', () => {
    expect([...readAccounts(answers({ QueryResponse: {}, time: '2026-01-01T00:00:00Z' }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"QueryResponse":{"Account":[{"Id":"1"}'],
    ['no QueryResponse', '{"time":"2026-01-01T00:00:00Z"}'],
    ['null for the QueryResponse', '{"QueryResponse":null}'],
    ['one object for the list', '{"QueryResponse":{"Account":{"Id":"1"}}}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers(body))])).toBe('badData')
  })
})

describe('reading journal entries', () => {
  test('a balanced entry gives one item for each posting; lines of text and of zero give none', () => {
    const items = [...readPostings(fixture('journal-entries.json'))]
    expect(items.map((item) => item.origId)).toEqual(['140:0', '140:1', '140:2'])
  })

  test('amounts are added exactly: 0.1 and 0.2 balance 0.3', () => {
    expect(reasonOf(readPostings(entry([line('0', 'Debit', 0.1), line('1', 'Debit', 0.2), line('2', 'Credit', 0.3)])))).toBeNull()
  })

  test('a negative debit counts as a credit', () => {
    expect(reasonOf(readPostings(entry([line('0', 'Debit', -8), line('1', 'Debit', '8.00')])))).toBeNull()
  })

  test.each([
    ['debits and credits that differ', [line('0', 'Debit', 5), line('1', 'Credit', 4.99)], {}, /differ/],
    ['an unknown side', [line('0', 'Sideways', 5), line('1', 'Credit', 5)], {}, /cannot be read/],
    ['an unknown kind of line', [{ Id: '0', DetailType: 'TaxLineDetail', Amount: 5 }], {}, /cannot be read/],
    ['an amount that is no number', [line('0', 'Debit', 'five'), line('1', 'Credit', 5)], {}, /impossible/],
    ['an empty amount', [line('0', 'Debit', ''), line('1', 'Credit', 5)], {}, /empty amount/],
    ['a day that does not exist', [line('0', 'Debit', 5), line('1', 'Credit', 5)], { TxnDate: '2026-02-30' }, /impossible/],
    ['two lines of one Id', [line('0', 'Debit', 5), line('0', 'Credit', 5)], {}, /one Id/],
    ['no lines', [], { Line: null }, /cannot be read/],
  ])('an entry with %s is set aside whole, under its own id', (_what, lines, more, reason) => {
    const items = [...readPostings(entry(lines, more))]
    expect(items).toEqual([{ entity: 'Transactions', origId: '5', unreadable: expect.stringMatching(reason) }])
  })
})
