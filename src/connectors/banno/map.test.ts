import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { mapRecord } from '../toolkit/test-mapping.ts'
import { bannoConnector } from './client.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { findStatus, toKind } from './type-table.ts'

const fetchedAt = new Date(Date.UTC(2026, 6, 1, 12))
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.json`, import.meta.url))

function itemsOf(pull: 'accounts' | 'transactions', answers: Answers): SourceItem[] {
  return [...(bannoConnector.pulls.find(({ name }) => name === pull)?.read(answers) ?? [])]
}

const accounts = itemsOf('accounts', { accounts: fixture('accounts') })
const transactions = itemsOf('transactions', {
  account: Buffer.from('"5436560d-0000-4c18-b524-000000000001"'),
  transactions: fixture('transactions'),
})

function mapped(mapping: typeof accountMapping, item: SourceItem | undefined, words: string[] = []): Record<string, unknown> {
  return mapRecord(mapping, item && 'wire' in item ? item.wire : null, fetchedAt, words)
}

describe('an account of Banno', () => {
  it('is a checking account, overdrawn, with the blanks of its name closed up', () => {
    expect(mapped(accountMapping, accounts[0])).toMatchObject({
      accountName: 'BUSINESS CHECKING',
      accountNumber: '••••4417',
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '-142.3',
      actualBalanceDate: '2026-06-30T22:13:07.922+00:00',
      currency: 'USD',
      interestRate: null,
      dueDate: null,
      lender: null,
    })
  })

  it('is a loan: what is owed is positive, the rate is percent without its sign, the day is not moved', () => {
    expect(mapped(accountMapping, accounts[1])).toMatchObject({
      accountNumber: '••••0093',
      actualBalance: '48210.55',
      principalBalance: '47980.11',
      interestRate: '7.25',
      dueDate: '2026-12-01T00:00:00+00:00',
      lender: 'Garden Valley Bank',
      originalLoanAmount: null,
    })
  })

  it.each([
    ['4417002210093', '••••0093'],
    [['x12'], '••••12'],
    [{ number: '4417002210093' }, ''],
    [null, ''],
  ])('shows no more of the number %j than four characters', (numbers, shown) => {
    expect(mapped(accountMapping, { entity: 'Accounts', origId: 'a', wire: { id: 'a', numbers } }).accountNumber).toBe(shown)
  })

  it('keeps the account when a word is new, and counts the word', () => {
    const words: string[] = []
    const wire = { id: 'a', accountStatus: 'Under review', accountType: 'Deposit', accountSubType: 'Envelope' }
    expect(mapped(accountMapping, { entity: 'Accounts', origId: 'a', wire }, words)).toMatchObject({
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Cash', subType: 'OtherCash' },
    })
    expect(words).toEqual(['accountStatusSystem: Under review', 'kind: Deposit/Envelope'])
  })

  it('is recognized by words however they are written', () => {
    const kinds = ['LineOfCredit', 'Line of Credit', 'line-of-credit'].map((type) => toKind(type, 'Credit Card', () => {}))
    expect(new Set(kinds.map((kind) => kind.subType))).toEqual(new Set(['CreditCard']))
    expect([findStatus('charged OFF'), findStatus('Close pending'), findStatus('No post')]).toEqual(['CLOSED', 'TO_BE_CLOSED', 'INACTIVE'])
  })
})

describe('a transaction of Banno', () => {
  it('pending has no posting day, and keeps the day that the bank wrote', () => {
    expect(mapped(transactionMapping, transactions[1])).toMatchObject({
      isPending: true,
      postedOn: null,
      transactionOn: '2026-06-30',
      amount: '-80.15',
      description: 'POS PURCHASE CAFÉ CRÈME',
      counterparty: 'Café Crème',
    })
  })

  it('without an account id belongs to the account that was asked for', () => {
    expect(mapped(transactionMapping, transactions[2])).toMatchObject({
      accountOrigId: '5436560d-0000-4c18-b524-000000000001',
      postedOn: '2026-06-29',
      transactionOn: null,
      isPending: false,
      amount: '1200',
      description: 'ACH CREDIT SQUARE INC',
      counterparty: 'Square Inc',
      category: 'Income',
      runningBalance: '1342.3',
    })
  })

  it('that was taken back is a removal', () => {
    expect(transactions[0]).toEqual({ entity: 'Transactions', origId: 't-0', removed: true })
  })

  it('of 30 February is refused', () => {
    const wire = { transaction: { id: 't', amount: '1', datePosted: '2026-02-30T00:00:00Z' }, account: 'a' }
    expect(() => mapped(transactionMapping, { entity: 'Transactions', origId: 't', wire })).toThrow(RangeError)
  })
})
