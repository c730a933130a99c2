import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type Json, parseJson } from '../../model/values/json.ts'
import { NO_UNMAPPED, runMapping } from '../toolkit/test-mapping.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { MambuAccount, MambuTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-07-01T08:00:00.500Z')
const NOTHING = {
  ...NO_UNMAPPED,
  actualBalance: null,
  actualBalanceDate: '2026-07-01T08:00:00.500+00:00',
  sourceUpdatedDate: null,
}

function fixture(name: string): Json {
  return parseJson(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))
}

function account(parts: Record<string, unknown>) {
  const wire = { tenant: 'banque', ...parts }
  expect(Check(MambuAccount, wire)).toBe(true)
  return runMapping(toBankAccount, wire, FETCHED_AT)
}

function movement(of: string, row: Record<string, unknown>) {
  const wire = { of, account: 'a1', accountCurrency: 'CAD', row: { encodedKey: 't1', valueDate: '2026-06-02T00:00:00-04:00', ...row } }
  expect(Check(MambuTransaction, wire)).toBe(true)
  return runMapping(toBankTransaction, wire, FETCHED_AT)
}

const deposit = (more: Record<string, unknown> = {}) => account({ deposit: { encodedKey: 'd1', ...more } })

describe('accounts, field by field', () => {
  test('a loan in arrears with its schedule: the rate of a year, days as the bank wrote them', () => {
    expect(account({ loan: fixture('loan'), schedule: fixture('schedule') }).record).toEqual({
      ...NOTHING,
      origId: '8a8e00037b1f2c3d4e5f000000000001',
      providerName: 'banque',
      accountName: 'Prêt d’équipement',
      accountNumber: '••••1011',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Loans', subType: 'OtherLoan' },
      interestRate: '9',
      dueDate: '2026-05-28T00:00:00+00:00',
      maturityDate: '2027-01-28T00:00:00+00:00',
      originalLoanAmount: '24000',
      lender: 'banque',
      amountDue: '1076.15',
      principalBalance: '9000',
      currency: 'CAD',
      actualBalance: '9140.4',
      sourceUpdatedDate: '2026-06-30T21:14:05.000+00:00',
    })
  })

  test('what is not told stays null, and is no 0', () => {
    expect(deposit().record).toMatchObject(NOTHING)
    expect(account({ loan: { encodedKey: 'l1' } }).record).toMatchObject({ ...NOTHING, lender: 'banque' })
  })

  test.each([
    ['CURRENT_ACCOUNT', 'Cash', 'Checking'],
    ['REGULAR_SAVINGS', 'Cash', 'Savings'],
    ['SAVINGS_PLAN', 'Cash', 'Savings'],
    ['FIXED_DEPOSIT', 'Cash', 'Cd'],
    ['INVESTOR_ACCOUNT', 'Investments', 'OtherInvestment'],
  ])('%s', (accountType, type, subType) => {
    expect(deposit({ accountType }).record.kind).toEqual({ type, subType })
  })

  test.each([
    ['PENDING_APPROVAL', 'INACTIVE'],
    ['MATURED', 'ACTIVE'],
    ['LOCKED', 'ACTIVE'],
    ['DORMANT', 'INACTIVE'],
    ['CLOSED_WRITTEN_OFF', 'CLOSED'],
    ['WITHDRAWN', 'CLOSED'],
  ])('state %s is %s', (accountState, status) => {
    expect(deposit({ accountState }).record.accountStatusSystem).toBe(status)
  })

  test('a revolving credit is a line, and its amount the limit', () => {
    const { record } = account({ loan: { encodedKey: 'l1', loanAmount: 50000, principalPaymentSettings: { percentage: 3 } } })
    expect(record).toMatchObject({ kind: { type: 'Loans', subType: 'LineOfCredit' }, totalCreditLine: '50000', originalLoanAmount: null })
  })

  test('an overdrawn account is negative, and its limit is its line', () => {
    const { record } = deposit({ balances: { totalBalance: -812.4 }, overdraftSettings: { allowOverdraft: true, overdraftLimit: 10000 } })
    expect(record).toMatchObject({ actualBalance: '-812.4', totalCreditLine: '10000' })
  })

  test('a rate that an index makes is not told', () => {
    const interestSettings = { interestSpread: 2, interestRateSource: 'INDEX_INTEREST_RATE', interestChargeFrequency: 'ANNUALIZED' }
    expect(account({ loan: { encodedKey: 'l1', interestSettings } }).record.interestRate).toBeNull()
  })

  test('new words are counted and fall into the other kind', () => {
    const { record, unmapped } = deposit({ accountType: 'GREEN_ACCOUNT', accountState: 'FROZEN' })
    expect(record).toMatchObject({ kind: { type: 'Cash', subType: 'OtherCash' }, accountStatusSystem: 'ACTIVE' })
    expect(unmapped.sort()).toEqual(['accountStatusSystem: FROZEN', 'kind: GREEN_ACCOUNT'])
  })

  test('30 February is no day', () => {
    expect(() => deposit({ maturityDate: '2027-02-30T00:00:00-05:00' })).toThrow(RangeError)
  })
})

describe('movements', () => {
  test.each([
    ['deposit', 'DEPOSIT', 20, '20'],
    ['deposit', 'WITHDRAWAL', -20, '-20'],
    ['deposit', 'WITHDRAWAL', 20, '-20'],
    ['deposit', 'FEE_APPLIED', 20, '-20'],
    ['deposit', 'WITHDRAWAL_ADJUSTMENT', 20, '20'],
    ['deposit', 'TRANSFER', -20, '-20'],
    ['deposit', 'INTEREST_APPLIED', -1.5, '-1.5'],
    ['loan', 'DISBURSEMENT', 20, '-20'],
    ['loan', 'REPAYMENT', 20, '20'],
    ['loan', 'REPAYMENT_ADJUSTMENT', 20, '-20'],
  ])('of a %s: %s of %d', (of, type, amount, expected) => {
    expect(movement(of, { type, amount }).record.amount).toBe(expected)
  })

  test('of a loan of a new kind are refused, for their direction is unknown', () => {
    expect(() => movement('loan', { type: 'BRAND_NEW', amount: 20 })).toThrow(/direction/)
  })

  test('name the shop that a card paid, and take the account’s currency where they name none', () => {
    const cardTransaction = { cardAcceptor: { name: 'Quincaillerie Côté' } }
    const { record } = movement('deposit', { type: 'WITHDRAWAL', amount: -20, cardTransaction, bookingDate: '2026-06-03T00:00:00-04:00' })
    expect(record).toMatchObject({
      counterparty: 'Quincaillerie Côté',
      currency: 'CAD',
      postedOn: '2026-06-03',
      transactionOn: '2026-06-02',
    })
  })
})
