import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { BASE, REFUSED, readAccounts, readPostings } from './read.ts'

const ENCODER = new TextEncoder()

function answers(name: string, body: unknown): Answers {
  const bytes = ENCODER.encode(typeof body === 'string' ? body : JSON.stringify(body))
  return { [BASE]: ENCODER.encode('{"BaseCurrency":"CAD"}'), [name]: bytes }
}

function fixture(name: string, file: string): Answers {
  return answers(name, readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8'))
}

function journal(lines: object[], more: object = {}): Answers {
  return answers('Journals', { Journals: [{ JournalID: 'j5', JournalNumber: 5, JournalDate: '/Date(0)/', JournalLines: lines, ...more }] })
}

function line(id: string, amount: unknown): object {
  return { JournalLineID: id, AccountID: 'a', NetAmount: amount }
}

function manual(lines: object[], more: object = {}): Answers {
  const row = { ManualJournalID: 'm1', Date: '/Date(0+0000)/', Status: 'POSTED', JournalLines: lines, ...more }
  return answers('ManualJournals', { ManualJournals: [row] })
}

function manualLine(amount: unknown, more: object = {}): object {
  return { AccountID: 'a', LineAmount: amount, TaxAmount: 0, ...more }
}

function reasons(items: Iterable<SourceItem>): (string | null)[] {
  return [...items].map((item) => ('unreadable' in item ? item.unreadable : null))
}

describe('reading accounts', () => {
  test('every account is an item, with its last change as a UTC version where there is one', () => {
    const items = [...readAccounts(fixture('Accounts', 'accounts.json'))]
    expect(items.map((item) => [item.origId?.slice(-1), 'version' in item ? item.version : null])).toEqual([
      ['1', '2026-05-12T13:24:09.123Z'],
      ['2', null],
    ])
  })

  test('the number of a bank account leaves the answer as its last four digits', () => {
    const [item] = readAccounts(fixture('Accounts', 'accounts.json'))
    expect(item && 'wire' in item && Object(item.wire).Account.BankAccountNumber).toBe('••••1234')
  })

  test.each([[{ Name: 'Nameless' }], [{ AccountID: '' }], [{ AccountID: 7 }], [null], ['text']])(
    '%j, which has no id, is set aside and its neighbour stays',
    (row) => {
      const items = [...readAccounts(answers('Accounts', { Accounts: [row, { AccountID: '2' }] }))]
      expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
        [true, null],
        [false, '2'],
      ])
    },
  )

  test('an empty list of accounts is an empty list', () => {
    expect([...readAccounts(answers('Accounts', { Status: 'OK', Accounts: [] }))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"Accounts":[{"AccountID":"1"}'],
    ['no list', '{"Status":"OK"}'],
    ['null for the list', '{"Accounts":null}'],
    ['one object for the list', '{"Accounts":{"AccountID":"1"}}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers('Accounts', body))])).toBe('badData')
  })

  test('an answer without the organisation’s currency is our own fault and no empty currency', () => {
    expect(kindOf(() => [...readAccounts({ Accounts: ENCODER.encode('{"Accounts":[]}') })])).toBe('badData')
  })
})

describe('reading journals', () => {
  test('a journal gives one item for each posting, tax among them; lines of zero give none', () => {
    const items = [...readPostings(fixture('Journals', 'journals.json'))]
    expect(items.map((item) => item.origId?.slice(-1))).toEqual(['1', '2', '4'])
  })

  test('amounts are added exactly: 0.1 and 0.2 balance -0.3', () => {
    expect(reasons(readPostings(journal([line('1', 0.1), line('2', 0.2), line('3', -0.3)])))).toEqual([null, null, null])
  })

  test.each([
    ['debits and credits that differ', [line('1', 5), line('2', -4.99)], {}, /differ/],
    ['an amount that is no number', [line('1', 'five'), line('2', -5)], {}, /impossible/],
    ['an empty amount', [line('1', ''), line('2', 0)], {}, /empty amount/],
    ['an account that is missing', [{ JournalLineID: '1', NetAmount: 0 }], {}, /cannot be read/],
    ['a day that cannot be', [line('1', 5), line('2', -5)], { JournalDate: '2026-02-30' }, /impossible/],
    ['a date that is none', [line('1', 5), line('2', -5)], { JournalDate: '/Date(soon)/' }, /impossible/],
    ['two lines of one id', [line('1', 5), line('1', -5)], {}, /one id/],
    ['no lines', [], { JournalLines: null }, /cannot be read/],
  ])('a journal with %s is set aside whole, under its own id', (_what, lines, more, reason) => {
    const items = [...readPostings(journal(lines, more))]
    expect(items).toEqual([{ entity: 'Transactions', origId: 'j5', unreadable: expect.stringMatching(reason) }])
  })
})

describe('reading manual journals', () => {
  test('postings are known by their places, and a blank line has one', () => {
    const items = [...readPostings(manual([manualLine(5), { IsBlank: true, LineAmount: 0 }, manualLine(-5)]))]
    expect(items.map((item) => item.origId)).toEqual(['m1:1', 'm1:3'])
  })

  test.each(['DRAFT', 'DELETED', 'VOIDED'])('one that is %s is left out', (Status) => {
    expect([...readPostings(manual([manualLine(5), manualLine(-4)], { Status }))]).toEqual([])
  })

  test.each([
    ['a status of another kind', [manualLine(5), manualLine(-5)], { Status: 'ARCHIVED' }, /status/],
    ['tax', [manualLine(5, { TaxAmount: 0.25 }), manualLine(-5)], {}, /tax/],
    ['an imbalance', [manualLine(5), manualLine(-6)], {}, /differ/],
    ['a line without an account id', [{ AccountCode: '200', LineAmount: 5 }, manualLine(-5)], {}, /cannot be read/],
  ])('one with %s is set aside whole', (_what, lines, more, reason) => {
    expect([...readPostings(manual(lines, more))]).toEqual([
      { entity: 'Transactions', origId: 'm1', unreadable: expect.stringMatching(reason) },
    ])
  })
})

test('a page that says that journals may not be read holds no records', () => {
  expect([...readPostings({ [REFUSED]: ENCODER.encode('{"Detail":"AuthorizationUnsuccessful"}') })]).toEqual([])
})

test.each(['Journals', 'ManualJournals'])('a cut page of %s is bad data', (name) => {
  expect(kindOf(() => [...readPostings(answers(name, `{"${name}":[{"Jour`))])).toBe('badData')
})
