import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type Json, parseJson } from '../../model/values/json.ts'
import { NO_UNMAPPED, runMapping } from '../toolkit/test-mapping.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { HelixAccount, HelixTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-07-01T08:00:00.500Z')
const ACCOUNT = parseJson(readFileSync(new URL('fixtures/account.json', import.meta.url), 'utf8')) as { [key: string]: Json }

function account(row: Record<string, Json>) {
  const wire = { program: 'Lakefront', account: row }
  expect(Check(HelixAccount, wire)).toBe(true)
  return runMapping(toBankAccount, wire, FETCHED_AT)
}

function movement(row: Record<string, Json>) {
  const wire = {
    account: '5002',
    row: { transactionId: 1, amount: 25.5, isCredit: true, createdDate: '2026-06-02T23:15:00.000-05:00', ...row },
  }
  expect(Check(HelixTransaction, wire)).toBe(true)
  return runMapping(toBankTransaction, wire, FETCHED_AT).record
}

describe('accounts, field by field', () => {
  test('a savings account', () => {
    expect(account(ACCOUNT).record).toEqual({
      ...NO_UNMAPPED,
      origId: '5002',
      providerName: 'Lakefront',
      accountName: 'Tax reserve',
      accountNumber: '••••5002',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Cash', subType: 'Savings' },
      interestRate: '2.15',
      currency: 'USD',
      actualBalance: '9000',
      actualBalanceDate: '2026-07-01T01:14:05.000+00:00',
      sourceUpdatedDate: '2026-07-01T01:14:06.000+00:00',
    })
  })

  test('what is not told stays null', () => {
    expect(account({ accountId: 1 }).record).toMatchObject({
      ...NO_UNMAPPED,
      interestRate: null,
      actualBalance: null,
      sourceUpdatedDate: null,
      accountNumber: '',
    })
  })

  test.each([
    ['********5002', '••••5002'],
    ['410200005002', '••••5002'],
    ['**02', '••••02'],
    ['', ''],
  ])('a number that comes as "%s" is shown as "%s"', (accountNumberMasked, shown) => {
    expect(account({ accountId: 1, accountNumberMasked }).record.accountNumber).toBe(shown)
  })

  test.each([
    ['Checking', 'Checking'],
    ['savings', 'Savings'],
    ['Prepaid', 'PrepaidDebitCard'],
  ])('type %s', (type, subType) => {
    expect(account({ accountId: 1, type }).record.kind).toEqual({ type: 'Cash', subType })
  })

  test('one that was closed is closed whatever its status says', () => {
    expect(account({ accountId: 1, status: 'Open', closedDate: '2025-11-30T00:00:00-05:00' }).record.accountStatusSystem).toBe('CLOSED')
  })

  test('an overdrawn account is negative', () => {
    expect(account({ accountId: 1, accountBalance: -41.2 }).record.actualBalance).toBe('-41.2')
  })

  test('new words are counted and fall into the other kind', () => {
    const { record, unmapped } = account({ accountId: 1, type: 'Crypto', status: 'Frozen' })
    expect(record).toMatchObject({ kind: { type: 'Cash', subType: 'OtherCash' }, accountStatusSystem: 'ACTIVE' })
    expect(unmapped.sort()).toEqual(['accountStatusSystem: Frozen', 'kind: Crypto'])
  })
})

describe('movements', () => {
  test.each([
    [true, 25.5, '25.5'],
    [false, 25.5, '-25.5'],
    [false, -25.5, '-25.5'],
  ])('isCredit %s with %d', (isCredit, amount, expected) => {
    expect(movement({ isCredit, amount }).amount).toBe(expected)
  })

  test('one that settled has both days, as the bank wrote them', () => {
    expect(movement({ status: 'Settled', settledDate: '2026-06-03T17:00:00-05:00' })).toMatchObject({
      postedOn: '2026-06-03',
      transactionOn: '2026-06-02',
      isPending: false,
    })
  })

  test('one that is initiated is pending', () => {
    expect(movement({ status: 'Initiated' })).toMatchObject({ postedOn: null, transactionOn: '2026-06-02', isPending: true })
  })

  test('the friendly description wins over the one of the clearing house', () => {
    expect(movement({ friendlyDescription: '', nachaDescription: 'FLOUR CO-OP' }).description).toBe('FLOUR CO-OP')
  })

  test('30 February is no day', () => {
    expect(() => movement({ status: 'Settled', settledDate: '2026-02-30T17:00:00-05:00' })).toThrow(RangeError)
  })
})
