import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { MxAccount, MxTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const unmapped: string[] = []
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.json`, import.meta.url))

const COMMON = {
  providerName: 'Caisse Vesperholt',
  accountStatusSystem: 'ACTIVE',
  currency: 'CAD',
  actualBalanceDate: '2026-11-19T21:00:00.000+00:00',
  sourceUpdatedDate: null,
}

describe('accounts, field by field', () => {
  const wires = new Map<string, unknown>()
  for (const item of accountsPull.read({ accounts: fixture('accounts'), member: fixture('member'), institution: fixture('institution') })) {
    if ('wire' in item) wires.set(item.origId, item.wire)
  }
  const mapAccount = (guid: string) => run(toBankAccount, MxAccount, wires.get(guid))

  test('a chequing account', () => {
    expect(mapAccount('ACT-checking')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'ACT-checking',
      accountName: 'Compte courant',
      accountNumber: '••••4410',
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '18402.55',
      sourceUpdatedDate: '2026-11-19T22:14:05.000+00:00',
    })
  })

  test('a chequing account with a line of credit stays one account; overdrawn is negative, a whole number is cut, the currency is the country’s', () => {
    expect(mapAccount('ACT-overdraft')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'ACT-overdraft',
      accountName: 'Paie',
      accountNumber: '••••0083',
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '-1250.4',
      totalCreditLine: '10000',
      availableCredit: '8749.6',
    })
  })

  test('a certificate: its own rate before the yield, the day of maturity as it was given', () => {
    expect(mapAccount('ACT-gic')).toMatchObject({
      kind: { type: 'Cash', subType: 'Cd' },
      interestRate: '3.9',
      maturityDate: '2027-08-14T00:00:00+00:00',
      currency: 'CAD',
    })
  })

  test('a card: owed is positive, the day it is due is not shifted by a zone', () => {
    expect(mapAccount('ACT-card')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'ACT-card',
      accountName: 'Carte de Zoé',
      accountNumber: '••••9917',
      kind: { type: 'CreditCards', subType: 'CreditCard' },
      actualBalance: '2310.45',
      interestRate: '19.99',
      availableCredit: '12689.55',
      totalCreditLine: '15000',
      minimumAmountDue: '35',
      amountDue: '2104.17',
      dueDate: '2026-12-08T00:00:00+00:00',
    })
  })

  test('a business loan: principal, lender, the first amount, and the next of its due days in a shorter month', () => {
    expect(mapAccount('ACT-loan')).toMatchObject({
      kind: { type: 'Loans', subType: 'BusinessLoan' },
      userAccountClassification: 'BUSINESS',
      principalBalance: '61003.2',
      originalLoanAmount: '95000',
      lender: 'Caisse Vesperholt',
      amountDue: '1842.66',
      minimumAmountDue: '1842.66',
      dueDate: '2026-11-30T00:00:00+00:00',
      maturityDate: '2028-05-31T00:00:00+00:00',
    })
  })

  test.each([
    ['on that day itself', '2026-11-20', 20, '2026-11-20'],
    ['a day later', '2026-11-21', 20, '2026-12-20'],
    ['at the end of a year', '2026-12-31', 1, '2027-01-01'],
    ['before a short month', '2027-01-31', 30, '2027-02-28'],
  ])('a day of the month on which a payment is due, read %s (%s), is the next %i', (_when, on, day, due) => {
    const wire = wires.get('ACT-loan')
    const changed = JSON.parse(JSON.stringify(wire, (key, value) => (key === 'day_payment_is_due' ? day : value)))
    expect(run(toBankAccount, MxAccount, changed, new Date(`${on}T23:59:59Z`))).toMatchObject({ dueDate: `${due}T00:00:00+00:00` })
  })

  test('a line that is overpaid is negative, and its balance is no principal', () => {
    expect(mapAccount('ACT-line')).toMatchObject({
      kind: { type: 'Loans', subType: 'Heloc' },
      actualBalance: '-12.5',
      principalBalance: null,
    })
  })

  test('what the source leaves out stays null, and an account without a name is called one', () => {
    unmapped.length = 0
    expect(mapAccount('ACT-empty')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'ACT-empty',
      accountName: 'Account',
      accountNumber: '',
      kind: { type: 'Other', subType: 'Unknown' },
      actualBalance: null,
    })
    expect(unmapped).toEqual(['kind: null/null'])
  })

  test('closed comes before hidden', () => {
    expect(mapAccount('ACT-closed')).toMatchObject({ accountStatusSystem: 'CLOSED' })
  })

  test('unknown words are counted and the account lives', () => {
    unmapped.length = 0
    expect(mapAccount('ACT-unknown')).toMatchObject({ kind: { type: 'Other', subType: 'Unknown' }, dueDate: null })
    expect(unmapped.sort()).toEqual(['dueDate: 99', 'kind: HOLOGRAM/VAULT'])
  })
})

describe('transactions, field by field', () => {
  const base = { guid: 'TRN-1', account_guid: 'ACT-1', amount: 61.11, type: 'DEBIT' }
  const mapTransaction = (fields: object) =>
    run(toBankTransaction, MxTransaction, { transaction: { ...base, ...fields }, defaultCurrency: 'CAD' })

  test('a booked payment is negative', () => {
    const fields = {
      ...{
        status: 'POSTED',
        posted_at: '2026-11-18T12:00:00Z',
        transacted_at: '2026-11-17T23:59:00Z',
        date: '2026-11-17',
        currency_code: 'USD',
      },
      ...{ original_description: 'POS ÉPICERIE DU COIN', description: 'Épicerie du Coin', category: 'Groceries' },
    }
    expect(mapTransaction(fields)).toEqual({
      ...{
        origId: 'TRN-1',
        accountOrigId: 'ACT-1',
        postedOn: '2026-11-18',
        transactionOn: '2026-11-17',
        amount: '-61.11',
        currency: 'USD',
      },
      ...{
        description: 'POS ÉPICERIE DU COIN',
        counterparty: 'Épicerie du Coin',
        category: 'Groceries',
        isPending: false,
        runningBalance: null,
      },
    })
  })

  test('what is pending has no booking day; a currency that is left out is that of the bank’s country', () => {
    expect(mapTransaction({ type: 'CREDIT', status: 'PENDING', date: '2026-11-19' })).toMatchObject({
      ...{ amount: '61.11', isPending: true, postedOn: null, transactionOn: '2026-11-19', currency: 'CAD' },
    })
  })

  test('an amount of many digits is kept to the last one', () => {
    expect(mapTransaction({ amount: '12345678901234.56' })).toMatchObject({ amount: '-12345678901234.56' })
  })

  test.each([{ type: 'SIDEWAYS' }, { amount: '12 dollars' }, { status: 'POSTED', date: '2026-02-30' }])(
    '%j is set aside with a reason',
    (fields) => {
      expect(() => mapTransaction(fields)).toThrow(RangeError)
    },
  )
})

function run(map: typeof toBankAccount, wire: TSchema, value: unknown, fetchedAt = FETCHED_AT): Record<string, unknown> {
  expect(Check(wire, value)).toBe(true)
  return mapRecord(map, value, fetchedAt, unmapped)
}
