import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { MapContext } from '../contract/mapping.ts'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { toKind } from './type-table.ts'
import { FlinksAccount, FlinksTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const COMMON = {
  providerName: 'Maple Shield Trust',
  accountStatusSystem: 'ACTIVE',
  currency: 'CAD',
  actualBalanceDate: '2026-11-19T04:00:00.145+00:00',
  sourceUpdatedDate: '2026-11-19T04:00:00.145+00:00',
}

describe('accounts, field by field', () => {
  test('an overdraft limit is the credit line of the one account that it belongs to; a time without a zone is UTC', () => {
    expect(mapAccount('a-1')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'a-1',
      accountName: 'Compte d’entreprise',
      accountNumber: '••••4567',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'Cash', subType: 'Checking' },
      totalCreditLine: '5000',
      actualBalance: '1100.25',
    })
  })

  test('a card without its last four digits: the whole number is cut; the login says that it is a business', () => {
    expect(mapAccount('a-2')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'a-2',
      accountName: 'Visa Affaires',
      accountNumber: '••••3333',
      userAccountClassification: 'BUSINESS',
      kind: { type: 'CreditCards', subType: 'BusinessCard' },
      availableCredit: '12000',
      totalCreditLine: '15000',
      actualBalance: '3000',
    })
  })

  test('a mortgage that comes negative is owed, and its principal is its balance', () => {
    expect(mapAccount('a-3')).toEqual({
      ...NO_UNMAPPED,
      ...COMMON,
      origId: 'a-3',
      accountName: 'Prêt hypothécaire',
      accountNumber: '••••812',
      userAccountClassification: 'PERSONAL',
      kind: { type: 'Loans', subType: 'Mortgage' },
      principalBalance: '250000.5',
      lender: 'Maple Shield Trust',
      actualBalance: '250000.5',
    })
  })

  test('an overdrawn account stays negative, and what is available stands in for the balance', () => {
    expect(mapAccount('a-4')).toMatchObject({ currency: 'USD', actualBalance: '-20', accountNumber: '' })
  })

  test('what is owed is never read from what is available', () => {
    const account = { Id: '1', Mask: '', Category: 'Credits', Type: 'CreditCard', Balance: { Available: 900, Current: null } }
    expect(value('actualBalance', { account, login: {}, institution: {} })).toBe(null)
  })

  test('no number, holder or transit of an account gets into a record', () => {
    const text = JSON.stringify([...fixture().values()])
    expect(
      ['1234567', '4530111122223333', '88-12', 'Gâteau & Fils', 'comptes@', '77777'].filter((secret) => text.includes(secret)),
    ).toEqual([])
  })

  test('a login that was never read has no date of its own', () => {
    const wire = { account: { Id: '1', Mask: '' }, login: { LastRefresh: null }, institution: {} }
    expect([value('actualBalanceDate', wire), value('sourceUpdatedDate', wire)]).toEqual(['2026-11-20T08:00:00.500+00:00', null])
  })
})

describe('transactions, field by field', () => {
  const map = (changes: object, account: object = {}) => {
    const transaction = {
      Id: 't-1',
      Date: '2026/11/18',
      Code: null,
      Description: ' ACHAT ',
      Debit: 12.5,
      Credit: null,
      Balance: 100,
      ...changes,
    }
    const wire = { transaction, account: { Id: 'a-1', Currency: 'CAD', Category: 'Operations', Type: 'Chequing', ...account } }
    expect(Check(FlinksTransaction, wire)).toBe(true)
    const context: MapContext = { fetchedAt: FETCHED_AT, unmapped: () => {} }
    return Object.fromEntries(Object.entries(toBankTransaction.fields).map(([name, field]) => [name, field(wire, context)]))
  }

  test('a purchase', () => {
    expect(map({})).toEqual({
      origId: 't-1',
      accountOrigId: 'a-1',
      postedOn: '2026-11-18',
      transactionOn: null,
      amount: '-12.5',
      currency: 'CAD',
      description: 'ACHAT',
      counterparty: '',
      category: '',
      isPending: false,
      runningBalance: '100',
    })
  })

  test.each([
    [null, 80, '80'],
    ['12.10', null, '-12.1'],
    [5, 20, '15'],
    [0, 20, '20'],
  ])('a debit of %j and a credit of %j are %s', (Debit, Credit, expected) => {
    expect(map({ Debit, Credit }).amount).toBe(expected)
  })

  test('neither a debit nor a credit is set aside, and so is 30 February', () => {
    expect(() => map({ Debit: null, Credit: null })).toThrow(RangeError)
    expect(() => map({ Date: '2026/02/30' })).toThrow(RangeError)
  })

  test('a payment to a card is money in, and its balance is what is owed', () => {
    expect(map({ Debit: null, Credit: 200, Balance: -1_800 }, { Category: 'Credits', Type: 'CreditCard' })).toMatchObject({
      amount: '200',
      runningBalance: '1800',
    })
  })
})

describe('kinds', () => {
  test.each([
    ['Operations', 'Chequing', '', 'Cash/Checking'],
    ['operations', 'CHEQUING', '', 'Cash/Checking'],
    ['Operations', 'Savings', '', 'Cash/Savings'],
    ['Operations', null, 'Compte épargne', 'Cash/Savings'],
    ['Operations', 'Unknown', 'Everyday Chequing', 'Cash/Checking'],
    ['Operations', null, 'American Express Savings', 'Cash/Savings'],
    ['Credits', 'CreditCard', '', 'CreditCards/CreditCard'],
    ['Credits', 'LineOfCredit', '', 'Loans/LineOfCredit'],
    ['Credits', 'Unknown', 'Marge de crédit rotative', 'Loans/LineOfCredit'],
    ['Credits', null, 'Visa Or', 'CreditCards/CreditCard'],
    ['Credits', 'Mortgage', '', 'Loans/Mortgage'],
    ['Credits', 'PersonalLoan', '', 'Loans/PersonalLoan'],
    ['Credits', 'Overdraft', '', 'Loans/Overdraft'],
    ['Credits', 'Loan', '', 'Loans/OtherLoan'],
    ['Loans', null, 'Prêt personnel', 'Loans/PersonalLoan'],
    ['Products', 'Mortgage', '', 'Loans/Mortgage'],
    ['Products', 'TFSA', '', 'Investments/RegisteredPlan'],
    ['Products', null, 'REER collectif', 'Investments/RegisteredPlan'],
    ['Products', 'GIC', '', 'Cash/Cd'],
    ['Products', null, 'Dépôt à terme', 'Cash/Cd'],
    ['Products', 'Investment', '', 'Investments/OtherInvestment'],
    ['Products', null, 'First Home Savings Account', 'Investments/RegisteredPlan'],
    ['Products', 'Unknown', 'Compte d’épargne libre d’impôt', 'Investments/RegisteredPlan'],
    ['Other', 'Unknown', 'Prêt étudiant', 'Loans/StudentLoan'],
  ])('%s/%s "%s" is %s', (category, type, title, expected) => {
    expect(kind({ category, type, title })).toEqual([expected])
  })

  test('of a business', () => {
    expect(kind({ category: 'Credits', type: 'CreditCard', isBusiness: true })).toEqual(['CreditCards/BusinessCard'])
    expect(kind({ category: 'Credits', type: 'Loan', isBusiness: true })).toEqual(['Loans/BusinessLoan'])
    expect(kind({ category: 'Operations', type: null, title: 'Nova', isBusiness: true })).toEqual(['heard Nova', 'Cash/BusinessAccount'])
  })

  test.each([
    ['Operations', null, '', 'heard no name', 'Cash/OtherCash'],
    ['Operations', null, 'Prêt auto', 'heard Prêt auto', 'Cash/OtherCash'],
    ['Products', null, 'Zeta 12', 'heard Zeta ##', 'Other/Unknown'],
    ['Other', 'Unknown', '', 'heard no name', 'Other/Unknown'],
  ])('%s/%s "%s" leaves doubt, and is heard', (category, type, title, ...expected) => {
    expect(kind({ category, type, title })).toEqual(expected)
  })

  test('new words fall into the other kind of what is known, and are heard', () => {
    expect(kind({ category: 'Credits', type: 'Metaverse' })).toEqual(['heard Credits/Metaverse', 'Loans/OtherLoan'])
    expect(kind({ category: 'Hologrammes', type: 'X' })).toEqual(['heard Hologrammes/X', 'Other/Unknown'])
  })

  function kind(words: { category: string; type: string | null; title?: string; isBusiness?: boolean }): string[] {
    const heard: string[] = []
    const found = toKind({ title: '', isBusiness: false, ...words }, (word) => heard.push(`heard ${word}`))
    return [...heard, `${found.type}/${found.subType}`]
  }
})

function fixture(): Map<string, unknown> {
  const items = [...accountsPull.read({ accounts: readFileSync(new URL('fixtures/accounts.json', import.meta.url)) })]
  return new Map(items.flatMap((item) => ('wire' in item ? [[item.origId, item.wire] as const] : [])))
}

function mapAccount(id: string): Record<string, unknown> {
  const wire = fixture().get(id)
  expect(Check(FlinksAccount, wire)).toBe(true)
  return mapRecord(toBankAccount, wire, FETCHED_AT)
}

function value(field: string, wire: object): unknown {
  return toBankAccount.fields[field]?.(wire, { fetchedAt: FETCHED_AT, unmapped: () => {} })
}
