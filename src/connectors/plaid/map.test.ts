import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { PlaidAccount, PlaidTransaction } from './wire.ts'

const CARD = { type: 'credit', subtype: 'credit card' }
const STUDENT = { type: 'loan', subtype: 'student' }
const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')

describe('accounts, field by field', () => {
  const COMMON = {
    providerName: 'Vesperholt Credit Union',
    accountStatusSystem: 'ACTIVE',
    currency: 'CAD',
    actualBalanceDate: '2026-11-19T22:14:05.000+00:00',
    sourceUpdatedDate: '2026-11-19T22:14:05.000+00:00',
  }

  test('a chequing account', () => {
    expect(mapAccount('acc-checking')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'acc-checking',
      accountName: 'Business Operating Account',
      accountNumber: '••••4410',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '18402.55',
    })
  })

  test('a business card: its own rate, its limit and what is left of it', () => {
    expect(mapAccount('acc-card')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'acc-card',
      accountName: 'Card',
      accountNumber: '••••0083',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'CreditCards', subType: 'BusinessCard' },
      actualBalance: '2310.45',
      interestRate: '19.74',
      availableCredit: '12689.55',
      totalCreditLine: '15000',
      dueDate: '2026-12-08T00:00:00+00:00',
      minimumAmountDue: '35',
      amountDue: '1899.2',
    })
  })

  test('a mortgage', () => {
    expect(mapAccount('acc-mortgage')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'acc-mortgage',
      accountName: 'Shop Mortgage',
      accountNumber: '••••771',
      userAccountClassification: 'PERSONAL',
      kind: { type: 'Loans', subType: 'Mortgage' },
      actualBalance: '311020.9',
      principalBalance: '311020.9',
      interestRate: '5.39',
      dueDate: '2026-12-01T00:00:00+00:00',
      maturityDate: '2044-06-01T00:00:00+00:00',
      originalLoanAmount: '438000',
      amountDue: '2611.08',
      lender: 'Vesperholt Credit Union',
    })
  })

  test('a student loan', () => {
    expect(mapAccount('acc-student')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'acc-student',
      accountName: 'Consolidated Student Loan',
      accountNumber: '••••5550',
      userAccountClassification: 'PERSONAL',
      kind: { type: 'Loans', subType: 'StudentLoan' },
      actualBalance: '12400',
      principalBalance: '12400',
      interestRate: '4.25',
      dueDate: '2026-12-20T00:00:00+00:00',
      maturityDate: '2032-07-28T00:00:00+00:00',
      minimumAmountDue: '247.5',
      originalLoanAmount: '42000',
      lender: 'Vesperholt Credit Union',
    })
  })

  test('a line of credit has its balances and nothing invented', () => {
    expect(mapAccount('acc-line')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'acc-line',
      accountName: 'Operating Line',
      accountNumber: '••••9921',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Loans', subType: 'LineOfCredit' },
      actualBalance: '38000',
      principalBalance: '38000',
      availableCredit: '12000',
      totalCreditLine: '50000',
      lender: 'Vesperholt Credit Union',
    })
  })

  test.each([
    ['a promotional rate is never the rate', { credit: { aprs: [{ apr_type: 'special', apr_percentage: 0 }] } }, 'interestRate', null],
    ['an overdrawn account is negative', { balances: { current: -120.05 } }, 'actualBalance', '-120.05'],
    ['the bank owing a card holder is negative', { ...CARD, balances: { current: -40 } }, 'actualBalance', '-40'],
    ['an asset without a current balance takes the available one', { balances: { available: 10, current: null } }, 'actualBalance', '10'],
    ['what may be drawn is never what is owed', { ...CARD, balances: { available: 10, current: null } }, 'actualBalance', null],
    ['zero stays zero', { balances: { current: 0 } }, 'actualBalance', '0'],
    ['absent stays absent', { balances: {} }, 'actualBalance', null],
    ['digits beyond a double are kept', { balances: { current: '12345678901234567.89' } }, 'actualBalance', '12345678901234567.89'],
    ['an unofficial currency is kept', { balances: { unofficial_currency_code: 'loyalty' } }, 'currency', 'LOYALTY'],
    ['no currency is empty', { balances: {} }, 'currency', ''],
    ['no mask is empty', { mask: null }, 'accountNumber', ''],
    ['a longer mask shows its last four', { mask: 'xx-12345678' }, 'accountNumber', '••••5678'],
    ['an unrecognized holder is no classification', { holder_category: 'unrecognized' }, 'userAccountClassification', null],
    [
      'the balance of Sallie Mae is no principal',
      { ...STUDENT, balances: { current: 5 }, institution: 'ins_116944' },
      'principalBalance',
      null,
    ],
    [
      'the time of a balance goes before that of the item',
      { balances: { last_updated_datetime: '2026-11-18T10:00:00Z' } },
      'actualBalanceDate',
      '2026-11-18T10:00:00.000+00:00',
    ],
    ['without any time it is the time of the fetch', { status: null }, 'actualBalanceDate', '2026-11-20T08:00:00.500+00:00'],
    ['without a status the source tells no time', { status: null }, 'sourceUpdatedDate', null],
  ])('%s', (_title, given, field, expected) => {
    expect(mapRecord(toBankAccount, toWire(given), FETCHED_AT)[field]).toBe(expected)
  })

  test('an unknown holder is counted', () => {
    const unknown: string[] = []
    mapRecord(toBankAccount, toWire({ holder_category: 'collective' }), FETCHED_AT, unknown)
    expect(unknown).toEqual(['userAccountClassification: collective'])
  })
})

describe('transactions, field by field', () => {
  const BOOKED = {
    transaction_id: 't-1',
    account_id: 'acc-card',
    amount: 72.1,
    iso_currency_code: 'CAD',
    date: '2026-11-18',
    authorized_date: '2026-11-16',
    name: 'POS SALTMARSH',
    original_description: 'POS SALTMARSH LUMBER 0417',
    merchant_name: 'Saltmarsh Lumber',
    counterparties: [{ name: 'Saltmarsh' }],
    personal_finance_category: { primary: 'HOME_IMPROVEMENT', detailed: 'HOME_IMPROVEMENT_HARDWARE' },
    pending: false,
    pending_transaction_id: 't-0',
  }

  test('a booked purchase', () => {
    expect(Check(PlaidTransaction, BOOKED)).toBe(true)
    expect(mapRecord(toBankTransaction, BOOKED, FETCHED_AT)).toEqual({
      origId: 't-1',
      accountOrigId: 'acc-card',
      postedOn: '2026-11-18',
      transactionOn: '2026-11-16',
      amount: '-72.1',
      currency: 'CAD',
      description: 'POS SALTMARSH LUMBER 0417',
      counterparty: 'Saltmarsh Lumber',
      category: 'HOME_IMPROVEMENT_HARDWARE',
      isPending: false,
      runningBalance: null,
    })
  })

  test.each([
    ['money in is positive', { amount: -1500 }, 'amount', '1500'],
    ['nothing is nothing, not minus nothing', { amount: 0 }, 'amount', '0'],
    ['a pending one was not booked', { pending: true }, 'postedOn', null],
    ['a pending one without another day happened on its day', { pending: true, authorized_date: null }, 'transactionOn', '2026-11-18'],
    ['a booked one without another day tells none', { authorized_date: null }, 'transactionOn', null],
    ['without a merchant the first counterparty is named', { merchant_name: null }, 'counterparty', 'Saltmarsh'],
    ['without either nobody is', { merchant_name: null, counterparties: [] }, 'counterparty', ''],
    ['without the bank’s own words the name stands', { original_description: null }, 'description', 'POS SALTMARSH'],
    ['an older category is read', { personal_finance_category: null, category: ['Shops', 'Hardware'] }, 'category', 'Hardware'],
    ['no category is empty', { personal_finance_category: null }, 'category', ''],
  ])('%s', (_title, given, field, expected) => {
    expect(mapRecord(toBankTransaction, { ...BOOKED, ...given }, FETCHED_AT)[field]).toBe(expected)
  })

  test('a day that does not exist fails the record, not the run', () => {
    expect(() => mapRecord(toBankTransaction, { ...BOOKED, date: '2026-02-30' }, FETCHED_AT)).toThrow(RangeError)
  })
})

function mapAccount(origId: string): Record<string, unknown> {
  const answers = { accounts: fixture('accounts'), item: fixture('item'), liabilities: fixture('liabilities') }
  const found = [...accountsPull.read(answers)].find((item) => item.origId === origId)
  if (!found || !('wire' in found) || !Check(PlaidAccount, found.wire)) throw new Error(`no record ${origId}`)
  return mapRecord(toBankAccount, found.wire, FETCHED_AT)
}

interface Given {
  type?: string
  subtype?: string
  mask?: string | null
  holder_category?: string
  balances?: Record<string, unknown>
  institution?: string
  credit?: object
  status?: null
}

function toWire({ balances = {}, institution = 'ins_1', credit, status, ...account }: Given): object {
  return {
    account: { account_id: 'a', type: 'depository', subtype: 'checking', name: 'A', balances, ...account },
    item: { institution_id: institution, institution_name: 'B' },
    status: status === null ? null : { transactions: { last_successful_update: '2026-11-19T22:14:05Z' } },
    ...(credit ? { credit } : {}),
  }
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
}
