import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { MapContext } from '../contract/mapping.ts'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { FinicityAccount, FinicityTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const COMMON = {
  providerName: 'FinBank',
  accountStatusSystem: 'ACTIVE',
  currency: 'USD',
  actualBalanceDate: '2025-11-20T08:00:00.000+00:00',
  sourceUpdatedDate: '2025-11-20T09:00:00.000+00:00',
}

describe('accounts, field by field', () => {
  test('an overdrawn business account is negative, and its number is cut', () => {
    expect(mapAccount('6001')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '6001',
      accountName: 'Café opérations',
      accountNumber: '••••5443',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Cash', subType: 'Checking' },
      interestRate: '0.05',
      actualBalance: '-120.5',
    })
  })

  test('a card: what is owed is positive, a rate with a percent sign is percent', () => {
    expect(mapAccount('6002')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '6002',
      accountName: 'Ink Card',
      accountNumber: '••••4444',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'CreditCards', subType: 'BusinessCard' },
      interestRate: '15.789',
      availableCredit: '13452.38',
      totalCreditLine: '15000',
      minimumAmountDue: '35',
      dueDate: '2025-12-09T00:00:00+00:00',
      amountDue: '1403.11',
      actualBalance: '1547.62',
    })
  })

  test('a mortgage: principal, lender, terms; a date of 0 is no date', () => {
    expect(mapAccount('6003')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '6003',
      accountName: 'Shop Mortgage',
      accountNumber: '••••0912',
      userAccountClassification: 'PERSONAL',
      kind: { type: 'Loans', subType: 'Mortgage' },
      interestRate: '6.125',
      originalLoanAmount: '520000',
      principalBalance: '311000.1',
      maturityDate: '2032-02-10T00:00:00+00:00',
      amountDue: '3120.44',
      minimumAmountDue: '3120.44',
      dueDate: '2025-12-02T00:00:00+00:00',
      lender: 'Maple & Loon Mortgage Co.',
      actualBalance: '312000.1',
      sourceUpdatedDate: null,
    })
  })

  test('a closed deposit in another currency; its balance is as of the reading', () => {
    expect(mapAccount('6004')).toMatchObject({
      accountNumber: '••••8812',
      accountStatusSystem: 'CLOSED',
      userAccountClassification: null,
      kind: { type: 'Cash', subType: 'Cd' },
      currency: 'CAD',
      interestRate: '4.1',
      maturityDate: '2027-01-01T00:00:00+00:00',
      actualBalanceDate: '2026-11-20T08:00:00.500+00:00',
    })
  })

  test('a loan without details has a balance, a lender, and nothing that was made up', () => {
    expect(mapAccount('6005')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '6005',
      accountName: 'Bare Loan',
      accountNumber: '',
      userAccountClassification: null,
      kind: { type: 'Loans', subType: 'OtherLoan' },
      principalBalance: '58000.25',
      lender: 'FinBank',
      actualBalance: '58000.25',
      sourceUpdatedDate: null,
    })
  })

  test.each([
    ['owed as a negative number', 'creditCard', -50, undefined, '50'],
    ['what the bank owes the customer', 'creditCard', 50, undefined, '-50'],
    ['owed as a positive number, which the detail tells', 'creditCard', 50, { currentBalance: 50 }, '50'],
    ['owed on a line', 'lineOfCredit', -70.1, undefined, '70.1'],
    ['a loan, whatever its sign', 'loan', 70.1, undefined, '70.1'],
    ['an overdrawn account', 'checking', -5, undefined, '-5'],
    ['nothing said but the principal', 'loan', undefined, { principalBalance: '12.30' }, '12.3'],
    ['more digits than a double holds', 'creditCard', '-12345678901234567.89', undefined, '12345678901234567.89'],
  ])('the sign of a balance: %s', (_what, type, balance, detail, expected) => {
    const account = { id: '1', mask: '', type, ...(balance === undefined ? {} : { balance }), ...(detail ? { detail } : {}) }
    expect(value('actualBalance', { account, institution: {} })).toBe(expected)
  })

  test.each([['15.789%'], ['15.789 %'], ['15.789'], [15.789]])('the rate %j is 15.789 percent', (interestRate) => {
    expect(value('interestRate', { account: { id: '1', mask: '', detail: { interestRate } }, institution: {} })).toBe('15.789')
  })

  test('a rate that is no number sets the record aside', () => {
    expect(() => value('interestRate', { account: { id: '1', mask: '', detail: { interestRate: 'prime' } }, institution: {} })).toThrow(
      RangeError,
    )
  })

  test('milliseconds where seconds belong set the record aside', () => {
    const account = { id: '1', mask: '', detail: { paymentDueDate: 1_765_238_400_000_000 } }
    expect(() => value('dueDate', { account, institution: {} })).toThrow(RangeError)
  })

  test('a status that nobody knows is counted, and the account lives', () => {
    const heard: string[] = []
    const account = { id: '1', mask: '', financialinstitutionAccountStatus: 'ASLEEP' }
    const context: MapContext = { fetchedAt: FETCHED_AT, unmapped: (field, word) => heard.push(`${field}:${word}`) }
    expect(toBankAccount.fields.accountStatusSystem?.({ account, institution: {} }, context)).toBe('ACTIVE')
    expect(heard).toEqual(['accountStatusSystem:ASLEEP'])
  })
})

describe('transactions, field by field', () => {
  const ROW = {
    id: 40_000_023_350,
    accountId: 6001,
    amount: -828.9,
    status: 'active',
    description: 'POS CAFÉ DU COIN',
    memo: 'Montréal',
    transactionDate: 1_763_625_600,
    postedDate: 1_763_712_000,
    categorization: { normalizedPayeeName: 'Café du Coin', category: 'Coffee Shops' },
    runningBalanceAmount: 1000.5,
  }
  const CHECKING = { type: 'checking', currency: 'usd' }
  const map = (changes: object, account: object = CHECKING) => {
    const wire = { transaction: { ...ROW, ...changes }, account }
    expect(Check(FinicityTransaction, wire)).toBe(true)
    const context: MapContext = { fetchedAt: FETCHED_AT, unmapped: () => {} }
    return Object.fromEntries(Object.entries(toBankTransaction.fields).map(([name, field]) => [name, field(wire, context)]))
  }

  test('a booked movement', () => {
    expect(map({})).toEqual({
      origId: '40000023350',
      accountOrigId: '6001',
      postedOn: '2025-11-21',
      transactionOn: '2025-11-20',
      amount: '-828.9',
      currency: 'USD',
      description: 'POS CAFÉ DU COIN Montréal',
      counterparty: 'Café du Coin',
      category: 'Coffee Shops',
      isPending: false,
      runningBalance: '1000.5',
    })
  })

  test('a pending movement has no day of booking', () => {
    expect(map({ status: 'pending', postedDate: null })).toMatchObject({ postedOn: null, transactionOn: '2025-11-20', isPending: true })
  })

  test.each([
    ['checking', '-828.9'],
    ['mortgage', '-828.9'],
    ['creditCard', '828.9'],
    ['lineOfCredit', '828.9'],
    ['sepIRA', '828.9'],
    [null, '-828.9'],
  ])('an amount of -828.9 on %s is %s', (type, expected) => {
    expect(map({}, { type, currency: 'USD' }).amount).toBe(expected)
  })

  test('where the bank gives no description, the memo is it', () => {
    expect(map({ description: 'No description provided by institution', memo: 'CHECK 1042' }).description).toBe('CHECK 1042')
    expect(map({ description: 'CHECK 1042 DEPOSIT', memo: 'CHECK 1042' }).description).toBe('CHECK 1042 DEPOSIT')
  })
})

function fixture(): Map<string, unknown> {
  const accounts = readFileSync(new URL('fixtures/accounts.json', import.meta.url))
  const items = [...accountsPull.read({ accounts, institution: new TextEncoder().encode('{"name":"FinBank"}') })]
  return new Map(items.flatMap((item) => ('wire' in item ? [[item.origId, item.wire] as const] : [])))
}

function mapAccount(id: string): Record<string, unknown> {
  const wire = fixture().get(id)
  expect(Check(FinicityAccount, wire)).toBe(true)
  return mapRecord(toBankAccount, wire, FETCHED_AT)
}

function value(field: string, wire: object): unknown {
  return toBankAccount.fields[field]?.(wire, { fetchedAt: FETCHED_AT, unmapped: () => {} })
}
