import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../model/values/json.ts'
import { NO_UNMAPPED, runMapping } from '../toolkit/test-mapping.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { FineractAccount, FineractTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-07-01T08:00:00.500Z')
const ENTITY = { officeName: 'Caisse solidaire', legalForm: { id: 2, code: 'legalFormType.entity' } }
const NOTHING = {
  ...NO_UNMAPPED,
  actualBalance: null,
  actualBalanceDate: '2026-07-01T08:00:00.500+00:00',
  sourceUpdatedDate: null,
}

function fixture(name: string): Record<string, unknown> {
  return parseJson(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8')) as Record<string, unknown>
}

function account(parts: Record<string, unknown>) {
  const wire = { id: parts.loan ? 'loan/12' : 'savings/3', client: ENTITY, ...parts }
  expect(Check(FineractAccount, wire)).toBe(true)
  return runMapping(toBankAccount, wire, FETCHED_AT)
}

function transaction(parts: Record<string, unknown>) {
  const wire = { id: 'savings/9', account: 'savings/3', ...parts }
  expect(Check(FineractTransaction, wire)).toBe(true)
  return runMapping(toBankTransaction, wire, FETCHED_AT)
}

const loan = fixture('loan')

describe('accounts, field by field', () => {
  test('a business loan with its schedule', () => {
    expect(account({ loan }).record).toEqual({
      ...NOTHING,
      origId: 'loan/12',
      providerName: 'Caisse solidaire',
      accountName: 'Prêt d’équipement',
      accountNumber: '••••5028',
      accountStatusSystem: 'ACTIVE',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Loans', subType: 'BusinessLoan' },
      interestRate: '7.25',
      dueDate: '2026-06-15T00:00:00+00:00',
      maturityDate: '2027-09-15T00:00:00+00:00',
      originalLoanAmount: '48000',
      lender: 'Caisse solidaire',
      amountDue: '4350.42',
      principalBalance: '30000',
      currency: 'CAD',
      actualBalance: '30181.25',
    })
  })

  test('a term deposit in a currency of three decimals', () => {
    expect(account({ deposit: fixture('fixed-deposit') }).record).toMatchObject({
      kind: { type: 'Cash', subType: 'Cd' },
      interestRate: '3.4',
      maturityAmount: '1240.929',
      maturityDate: '2026-12-20T00:00:00+00:00',
      currency: 'KWD',
      actualBalance: '1200.125',
      lender: null,
    })
  })

  test('what is not told stays null, and is no 0', () => {
    expect(account({ loan: {} }).record).toMatchObject({ ...NOTHING, userAccountClassification: 'BUSINESS', lender: 'Caisse solidaire' })
    expect(account({ deposit: {} }).record).toMatchObject({ ...NOTHING, userAccountClassification: 'BUSINESS' })
  })

  test('of the interest and fees of a loan only what is overdue is owed', () => {
    const summary = { principalOutstanding: 6926.93, interestOutstanding: 637.82, totalOutstanding: 7564.75, totalOverdue: 6619.2 }
    const owed = (more: object) => account({ loan: { summary: { ...summary, ...more } } }).record.actualBalance
    expect(owed({ interestOverdue: 619.28 })).toBe('7546.21')
    expect(owed({ interestOverdue: 0, feeChargesOverdue: 5.5, penaltyChargesOutstanding: 10 })).toBe('6942.43')
    expect(owed({})).toBe('6926.93')
    expect(owed({ principalOutstanding: null })).toBe('7564.75')
  })

  test.each([
    ['fixeddepositaccounts', 'Cd'],
    ['recurringdepositaccounts', 'RecurringDeposit'],
    ['savingsaccounts', 'Savings'],
  ])('a deposit whose details name no kind is what the list %s holds', (resource, subType) => {
    const context = { fetchedAt: new Date(0), unmapped: () => undefined }
    const wire = { id: 'savings/1', resource, client: {}, deposit: {} }
    expect(toBankAccount.fields.kind?.(wire, context)).toEqual({ type: 'Cash', subType })
  })

  test('what was paid too much is owed to the owner: a negative debt', () => {
    expect(account({ loan: { totalOverpaid: 41.17, summary: { totalOutstanding: 0 } } }).record).toMatchObject({
      actualBalance: '-41.17',
      amountDue: null,
    })
  })

  test('an overdrawn account is negative, and its limit is its line', () => {
    const deposit = { allowOverdraft: true, overdraftLimit: 5000, summary: { accountBalance: -812.4 } }
    expect(account({ deposit }).record).toMatchObject({
      actualBalance: '-812.4',
      totalCreditLine: '5000',
      kind: { type: 'Cash', subType: 'Savings' },
    })
  })

  test('a limit of an account that may not be overdrawn is none', () => {
    expect(account({ deposit: { allowOverdraft: false, overdraftLimit: 5000 } }).record.totalCreditLine).toBeNull()
  })

  test.each([
    ['legalFormType.person', 'PERSONAL', 'OtherLoan'],
    ['legalFormType.entity', 'BUSINESS', 'BusinessLoan'],
  ])('a client of form %s', (code, classification, subType) => {
    const { record } = account({ loan, client: { legalForm: { code } } })
    expect(record).toMatchObject({ userAccountClassification: classification, kind: { subType } })
  })

  test('new words are counted and fall into the other kind', () => {
    const { record, unmapped } = account({
      deposit: { depositType: { code: 'x.cryptoDeposit' }, status: { code: 'x.frozen' } },
      client: { legalForm: { code: 'legalFormType.trust' } },
    })
    expect(record).toMatchObject({
      kind: { type: 'Cash', subType: 'OtherCash' },
      accountStatusSystem: 'ACTIVE',
      userAccountClassification: null,
    })
    expect(unmapped.sort()).toEqual([
      'accountStatusSystem: x.frozen',
      'kind: x.cryptoDeposit',
      'userAccountClassification: legalFormType.trust',
    ])
  })

  test('a dormant account is inactive', () => {
    const deposit = { status: { code: 'savingsAccountStatusType.active' }, subStatus: { code: 'SavingsAccountSubStatusEnum.dormant' } }
    expect(account({ deposit }).record.accountStatusSystem).toBe('INACTIVE')
  })

  test('30 February is no day', () => {
    expect(() => account({ deposit: { maturityDate: [2027, 2, 30] } })).toThrow(RangeError)
  })

  test('a day as text is taken as it stands', () => {
    expect(account({ deposit: { maturityDate: '2026-12-20' } }).record.maturityDate).toBe('2026-12-20T00:00:00+00:00')
  })

  test('an amount of more digits than a double holds keeps them all', () => {
    expect(account({ deposit: { summary: { accountBalance: '12345678901234567.89' } } }).record.actualBalance).toBe('12345678901234567.89')
  })
})

describe('movements', () => {
  const row = (code: string, more: Record<string, unknown> = {}) => ({
    savings: { transactionType: { code: `savingsAccountTransactionType.${code}`, value: code }, date: [2026, 6, 2], amount: 25.5, ...more },
  })

  test.each([
    ['deposit', '25.5'],
    ['interestPosting', '25.5'],
    ['withdrawal', '-25.5'],
    ['payCharge', '-25.5'],
  ])('a %s without a direction of its own', (code, amount) => {
    expect(transaction(row(code)).record.amount).toBe(amount)
  })

  test.each([
    ['CREDIT', '25.5'],
    ['DEBIT', '-25.5'],
    [{ value: 'CREDIT' }, '25.5'],
  ])('the direction that is told wins over the kind: %j', (entryType, amount) => {
    expect(transaction(row('brandNew', { entryType })).record.amount).toBe(amount)
  })

  test('one of a new kind without a direction is refused and counted', () => {
    expect(() => transaction(row('brandNew'))).toThrow(/direction/)
  })

  test.each([
    ['disbursement', '-25.5'],
    ['repayment', '25.5'],
  ])('a %s of a loan', (code, amount) => {
    const { record } = transaction({
      loan: { type: { code: `loanTransactionType.${code}` }, date: [2026, 6, 2], amount: 25.5, outstandingLoanBalance: 30000 },
    })
    expect(record).toMatchObject({ amount, runningBalance: '30000', postedOn: '2026-06-02', transactionOn: null, category: code })
  })

  test('the day of submission is the booking, the other one the value date', () => {
    const { record } = transaction(row('deposit', { submittedOnDate: [2026, 6, 4], note: ' Vente ' }))
    expect(record).toMatchObject({ postedOn: '2026-06-04', transactionOn: '2026-06-02', description: 'Vente', isPending: false })
  })
})
