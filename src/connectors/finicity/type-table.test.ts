import { describe, expect, test } from 'vitest'
import { toKind } from './type-table.ts'

describe('kinds', () => {
  test.each([
    ['checking', 'Cash/Checking'],
    ['savings', 'Cash/Savings'],
    ['moneyMarket', 'Cash/Mmda'],
    ['cd', 'Cash/Cd'],
    ['healthSavingsAccount', 'Cash/Hsa'],
    ['creditCard', 'CreditCards/CreditCard'],
    ['lineOfCredit', 'Loans/LineOfCredit'],
    ['mortgage', 'Loans/Mortgage'],
    ['loan', 'Loans/OtherLoan'],
    ['studentLoan', 'Loans/StudentLoan'],
    ['studentLoanAccount', 'Loans/StudentLoan'],
    ['401k', 'Investments/Retirement'],
    ['529', 'Investments/EducationSavings'],
    ['457', 'Investments/Retirement'],
    ['brokerageAccount', 'Investments/Brokerage'],
    ['cryptocurrency', 'Investments/DigitalAsset'],
    ['unknown', 'Other/Unknown'],
  ])('%s is %s', (type, expected) => {
    expect(kind(type, false, '')).toEqual([expected])
  })

  test('of a business', () => {
    expect(kind('creditCard', true, '')).toEqual(['CreditCards/BusinessCard'])
    expect(kind('loan', true, '')).toEqual(['Loans/BusinessLoan'])
    expect(kind('loan', true, 'Auto Loan')).toEqual(['Loans/AutoLoan'])
    expect(kind('loan', false, '2023 cargo vehicle')).toEqual(['Loans/AutoLoan'])
    expect(kind('loan', false, 'automation equipment, carpentry')).toEqual(['Loans/OtherLoan'])
  })

  test('a new word becomes Unknown and is heard', () => {
    expect(kind('holographicVault', false, '')).toEqual(['heard holographicVault', 'Other/Unknown'])
  })

  function kind(type: string, isBusiness: boolean, purpose: string): string[] {
    const heard: string[] = []
    const found = toKind({ type, isBusiness, purpose }, (word) => heard.push(`heard ${word}`))
    return [...heard, `${found.type}/${found.subType}`]
  }
})
