import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { toKind } from './type-table.ts'
import { YodleeAccount, YodleeTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const unmapped: string[] = []

const COMMON = {
  providerName: 'Caisse Vesperholt',
  accountStatusSystem: 'ACTIVE',
  currency: 'CAD',
  actualBalanceDate: '2026-11-20T08:00:00.500+00:00',
  sourceUpdatedDate: null,
}

describe('accounts, field by field', () => {
  const wires = new Map<string, unknown>()
  for (const item of accountsPull.read({ accounts: readFileSync(new URL('fixtures/accounts.json', import.meta.url)) })) {
    if ('wire' in item) wires.set(item.origId, item.wire)
  }
  const mapAccount = (id: string) => run(toBankAccount, YodleeAccount, wires.get(id))

  test('a chequing account of a business: the current balance, and its overdraft limit as the credit line', () => {
    expect(mapAccount('801')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '801',
      accountName: 'Compte chèques',
      accountNumber: '••••4410',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '18402.55',
      totalCreditLine: '5000',
      actualBalanceDate: '2026-11-19T21:00:00.000+00:00',
      sourceUpdatedDate: '2026-11-19T21:00:00.000+00:00',
    })
  })

  test('a term deposit: what it will be worth and when, the yield where there is no rate, a date from its dataset', () => {
    expect(mapAccount('802')).toMatchObject({
      kind: { type: 'Cash', subType: 'Cd' },
      accountNumber: '••••2334',
      maturityAmount: '26012.5',
      maturityDate: '2027-08-14T00:00:00+00:00',
      interestRate: '4.1',
      actualBalanceDate: '2026-11-18T20:00:00.000+00:00',
    })
  })

  test('a card: what the owner says of it comes before what the bank says, owed is positive', () => {
    expect(mapAccount('803')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '803',
      accountName: 'Carte d’Élodie',
      accountNumber: '••••9917',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'CreditCards', subType: 'BusinessCard' },
      actualBalance: '2310.45',
      interestRate: '19.99',
      availableCredit: '12689.55',
      totalCreditLine: '15000',
      amountDue: '2104.17',
      minimumAmountDue: '57',
      dueDate: '2026-12-08T00:00:00+00:00',
    })
  })

  test('a mortgage: its lender, its principal, a bank that is about to close it', () => {
    expect(mapAccount('804')).toMatchObject({
      kind: { type: 'Loans', subType: 'Mortgage' },
      accountStatusSystem: 'TO_BE_CLOSED',
      lender: 'Fiducie du Fleuve',
      principalBalance: '210000',
      originalLoanAmount: '400000',
      interestRate: '5.04',
      amountDue: '2411.07',
      minimumAmountDue: null,
      maturityDate: '2044-05-01T00:00:00+00:00',
    })
  })

  test('a line of credit: its limit, and the bank as the lender', () => {
    expect(mapAccount('805')).toMatchObject({ totalCreditLine: '60000', lender: 'Caisse Vesperholt', principalBalance: null })
  })

  test('points are no money', () => {
    expect(mapAccount('806')).toMatchObject({ kind: { type: 'CreditCards', subType: 'RewardPoints' }, actualBalance: null, currency: '' })
  })

  test('what the source leaves out stays null, and an account without a name is called one', () => {
    expect(mapAccount('807')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: '807',
      providerName: '',
      accountName: 'Account',
      accountNumber: '',
      currency: '',
      kind: { type: 'Other', subType: 'Unknown' },
      actualBalance: null,
    })
  })

  test('unknown words are counted and the account lives', () => {
    unmapped.length = 0
    expect(mapAccount('808')).toMatchObject({ kind: { type: 'Other', subType: 'Unknown' }, accountStatusSystem: 'ACTIVE' })
    expect(unmapped.sort()).toEqual(['accountStatusSystem: DREAMT', 'kind: vault/GOLD', 'userAccountClassification: COLLECTIVE'])
  })
})

describe('investments of all three generations of names', () => {
  test.each([
    ['TAX_FREE_SAVINGS_ACCOUNT', 'RegisteredPlan'],
    ['TAX_FREE_SAVINGS_ACCOUNT_TFSA', 'RegisteredPlan'],
    ['REGISTERED_RETIREMENT_SAVINGS_PLAN_RRSP', 'RegisteredPlan'],
    ['LOCKED_IN_RETIREMENT_ACCOUNT_LIRA', 'RegisteredPlan'],
    ['LIFE_INCOME_FUND_LIF', 'RegisteredPlan'],
    ['REGISTERED_PENSION_PLAN_RPP', 'Pension'],
    ['401K', 'Retirement'],
    ['EMPLOYEE_RETIREMENT_ACCOUNT_401K', 'Retirement'],
    ['ROTH_SIMPLE_IRA', 'Retirement'],
    ['529_PLAN', 'EducationSavings'],
    ['EMPLOYEE_STOCK_PURCHASE_PLAN_ESPP', 'EmployeeStockPlan'],
    ['CHARITABLE_REMAINDER_TRUST', 'Trust'],
    ['BROKERAGE_MARGIN_OPTION', 'Brokerage'],
    ['INDIVIDUAL_RETIREMENT_ACCOUNT_IRA', 'Retirement'],
    ['INDIVIDUAL', 'Brokerage'],
    ['DIGITAL_WALLET', 'DigitalAsset'],
    ['GUARANTEED_INVESTMENT_CERTIFICATES_GIC', 'Cd'],
    ['STOCK_BASKET', 'OtherInvestment'],
  ])('%s is %s', (accountType, subType) => {
    expect(toKind({ container: 'investment', accountType, isBusiness: false }, () => undefined).subType).toBe(subType)
  })
})

describe('transactions, field by field', () => {
  const base = { id: 77, CONTAINER: 'bank', accountId: 801, amount: { amount: 61.11, currency: 'cad' }, baseType: 'DEBIT' }
  const mapTransaction = (fields: object) => run(toBankTransaction, YodleeTransaction, { ...base, ...fields })

  test('a booked payment is negative', () => {
    const fields = {
      ...{ status: 'POSTED', date: '2026-11-18', postDate: '2026-11-18', transactionDate: '2026-11-17', category: 'Groceries' },
      ...{
        description: { original: 'POS ÉPICERIE', simple: 'Épicerie' },
        merchant: { name: 'Épicerie du Coin' },
        runningBalance: { amount: 90.5, currency: 'CAD' },
      },
    }
    expect(mapTransaction(fields)).toEqual({
      ...{
        origId: 'bank/77',
        accountOrigId: '801',
        postedOn: '2026-11-18',
        transactionOn: '2026-11-17',
        amount: '-61.11',
        currency: 'CAD',
      },
      ...{ description: 'POS ÉPICERIE', counterparty: 'Épicerie du Coin', category: 'Groceries', isPending: false, runningBalance: '90.5' },
    })
  })

  test.each(['PENDING', 'SCHEDULED'])('what is %s has no booking day', (status) => {
    expect(mapTransaction({ baseType: 'CREDIT', status, date: '2026-11-19' })).toMatchObject({
      ...{ amount: '61.11', isPending: true, postedOn: null, transactionOn: '2026-11-19' },
    })
  })

  test('an amount that comes with a sign all the same is turned by the base type alone', () => {
    expect(mapTransaction({ amount: { amount: '-12345678901234.56', currency: 'CAD' } })).toMatchObject({ amount: '-12345678901234.56' })
  })

  test.each([{ baseType: 'SIDEWAYS' }, { amount: { amount: 'x' } }, { status: 'POSTED', date: '2026-02-30' }])(
    '%j is set aside with a reason',
    (fields) => {
      expect(() => mapTransaction(fields)).toThrow(RangeError)
    },
  )
})

function run(map: typeof toBankAccount, wire: TSchema, value: unknown): Record<string, unknown> {
  expect(Check(wire, value)).toBe(true)
  return mapRecord(map, value, FETCHED_AT, unmapped)
}
