import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { toKind } from './type-table.ts'
import { StripeAccount, StripeTransaction } from './wire.ts'

const page = {
  accounts: readFileSync(new URL('fixtures/accounts.json', import.meta.url)),
  entity: new TextEncoder().encode(JSON.stringify({ institutionName: 'Cañon Valley Bank' })),
}

function account(id: string, changes: object = {}, unmapped: string[] = []): Record<string, unknown> {
  const item = [...accountsPull.read(page)].find((each) => each.origId === id)
  if (!item || !('wire' in item) || !Check(StripeAccount, item.wire)) throw new Error(`no account ${id}`)
  return mapRecord(toBankAccount, { ...item.wire, ...changes }, new Date(0), unmapped)
}

const MOVEMENT = {
  id: 'fctxn_1',
  account: 'fca_checking',
  amount: -1234,
  currency: 'usd',
  description: ' Rocket Rides ',
  status: 'posted',
  status_transitions: { posted_at: 1763683200, void_at: null },
  transacted_at: 1763510400,
}

function movement(changes: object = {}, unmapped: string[] = []): Record<string, unknown> {
  const wire: unknown = { ...MOVEMENT, ...changes }
  if (!Check(StripeTransaction, wire)) throw new Error('no transaction')
  return mapRecord(toBankTransaction, wire, new Date(0), unmapped)
}

describe('accounts', () => {
  test('a checking account, with nulls where Stripe says nothing', () => {
    expect(account('fca_checking')).toEqual({
      ...NO_UNMAPPED,
      origId: 'fca_checking',
      providerName: 'Cañon Valley Bank',
      accountName: 'Business Checking',
      accountNumber: '••••4410',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Cash', subType: 'Checking' },
      currency: 'USD',
      actualBalance: '18430.55',
      actualBalanceDate: '2025-11-20T07:00:00.000+00:00',
      sourceUpdatedDate: '2025-11-20T07:01:00.000+00:00',
    })
  })

  test('what is owed on a card is negative at Stripe and positive here', () => {
    expect(account('fca_card')).toMatchObject({
      actualBalance: '2310.45',
      principalBalance: null,
      lender: null,
      accountStatusSystem: 'INACTIVE',
    })
  })

  test('a failed refresh is no update', () => {
    expect(account('fca_card').sourceUpdatedDate).toBeNull()
  })

  test('a mortgage names its lender and what is owed, passing over a currency that is none', () => {
    expect(account('fca_mortgage')).toMatchObject({
      kind: { type: 'Loans', subType: 'Mortgage' },
      actualBalance: '312500',
      principalBalance: '312500',
      lender: 'Cañon Valley Bank',
      currency: 'USD',
      accountName: 'Mortgage',
      accountNumber: '',
    })
  })

  test('overdrawn is negative', () => {
    expect(account('fca_checking', { balance: { as_of: 1, current: { usd: -4417 } } }).actualBalance).toBe('-44.17')
  })

  test.each([
    [{ usd: 120_500 }, '1205', 'USD'],
    [{ jpy: 120_500 }, '120500', 'JPY'],
    [{ kwd: 1_234_567 }, '1234.567', 'KWD'],
    [{ usd: '12345678901234567' }, '123456789012345.67', 'USD'],
    [{ undefined: 7 }, null, ''],
    [{}, null, ''],
  ])('a balance of %j in minor units is %s %s', (current, actualBalance, currency) => {
    expect(account('fca_checking', { balance: { as_of: 1, current } })).toMatchObject({ actualBalance, currency })
  })

  test('without a balance there is none, and no date of one', () => {
    expect(account('fca_checking', { balance: null })).toMatchObject({ actualBalance: null, actualBalanceDate: null, currency: '' })
  })

  test.each<[string | null, string | null, BankAccountKind, number]>([
    ['cash', 'savings', { type: 'Cash', subType: 'Savings' }, 0],
    ['cash', 'other', { type: 'Cash', subType: 'OtherCash' }, 0],
    ['credit', 'line_of_credit', { type: 'Loans', subType: 'LineOfCredit' }, 0],
    ['credit', 'other', { type: 'Loans', subType: 'OtherLoan' }, 0],
    ['investment', 'other', { type: 'Investments', subType: 'OtherInvestment' }, 0],
    ['other', null, { type: 'Other', subType: 'Unknown' }, 0],
    ['cash', 'vault', { type: 'Cash', subType: 'OtherCash' }, 1],
    ['digital_asset', 'vault', { type: 'Other', subType: 'Unknown' }, 1],
    [null, null, { type: 'Other', subType: 'Unknown' }, 1],
  ])('%s/%s is %j', (category, subcategory, kind, unknown) => {
    const words: string[] = []
    expect([toKind(category, subcategory, (word) => words.push(word)), words.length]).toEqual([kind, unknown])
  })

  test('an unknown status is counted, and the account lives', () => {
    const unmapped: string[] = []
    expect(account('fca_checking', { status: 'dormant' }, unmapped).accountStatusSystem).toBe('ACTIVE')
    expect(unmapped).toEqual(['accountStatusSystem: dormant'])
  })

  test('one of another bank of the same customer is set aside', () => {
    const other = { ...page, entity: new TextEncoder().encode('{"institutionName":"Other Bank"}') }
    expect([...accountsPull.read(other)].every((item) => 'unreadable' in item)).toBe(true)
  })
})

describe('transactions', () => {
  test('a posted one has the days of both, in UTC', () => {
    expect(movement()).toEqual({
      origId: 'fctxn_1',
      accountOrigId: 'fca_checking',
      postedOn: '2025-11-21',
      transactionOn: '2025-11-19',
      amount: '-12.34',
      currency: 'USD',
      description: 'Rocket Rides',
      counterparty: '',
      category: '',
      isPending: false,
      runningBalance: null,
    })
  })

  test('a pending one has no day of booking', () => {
    expect(movement({ status: 'pending', status_transitions: { posted_at: null } })).toMatchObject({ isPending: true, postedOn: null })
  })

  test.each([
    ['jpy', '-1234'],
    ['kwd', '-1.234'],
  ])('an amount in %s has its own minor units', (currency, amount) => {
    expect(movement({ currency }).amount).toBe(amount)
  })

  test('an unknown status is booked and counted', () => {
    const unmapped: string[] = []
    expect(movement({ status: 'settling' }, unmapped).isPending).toBe(false)
    expect(unmapped).toEqual(['isPending: settling'])
  })
})
