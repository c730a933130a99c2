import { describe, expect, test } from 'vitest'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { toKind } from './type-table.ts'

/** Rows of the mapping table: type, subtype, then group and code. A dash is an absent subtype. */
const KINDS = `
depository | checking | Cash/Checking
depository | limited purpose checking | Cash/Checking
depository | savings | Cash/Savings
depository | money market | Cash/Mmda
depository | cd | Cash/Cd
depository | hsa | Cash/Hsa
depository | paypal | Cash/PayPal
depository | cash management | Cash/CashManagement
depository | prepaid | Cash/PrepaidDebitCard
depository | ebt | Cash/Ebt
depository | - | Cash/OtherCash
credit | credit card | CreditCards/CreditCard
credit | paypal | CreditCards/PayPalCard
credit | - | CreditCards/OtherCard
loan | mortgage | Loans/Mortgage
loan | consumer | Loans/ConsumerLoan
loan | home equity | Loans/Heloc
loan | line of credit | Loans/LineOfCredit
loan | auto | Loans/AutoLoan
loan | student | Loans/StudentLoan
loan | business | Loans/BusinessLoan
loan | commercial | Loans/CommercialLoan
loan | construction | Loans/ConstructionLoan
loan | overdraft | Loans/Overdraft
loan | loan | Loans/OtherLoan
loan | other | Loans/OtherLoan
loan | - | Loans/OtherLoan
investment | gic | Cash/Cd
investment | line of credit | Loans/LineOfCredit
investment | rrsp | Investments/RegisteredPlan
investment | tfsa | Investments/RegisteredPlan
investment | resp | Investments/RegisteredPlan
investment | rrif | Investments/RegisteredPlan
investment | fhsa | Investments/RegisteredPlan
investment | lira | Investments/RegisteredPlan
investment | lif | Investments/RegisteredPlan
investment | lrif | Investments/RegisteredPlan
investment | lrsp | Investments/RegisteredPlan
investment | prif | Investments/RegisteredPlan
investment | rlif | Investments/RegisteredPlan
investment | rdsp | Investments/RegisteredPlan
investment | brokerage | Investments/Brokerage
investment | non-taxable brokerage account | Investments/Brokerage
investment | 401k | Investments/Retirement
investment | 529 | Investments/EducationSavings
investment | pension | Investments/Pension
investment | mutual fund | Investments/MutualFund
investment | stock plan | Investments/EmployeeStockPlan
investment | trust | Investments/Trust
investment | variable annuity | Investments/Annuity
investment | crypto exchange | Investments/DigitalAsset
investment | other | Investments/OtherInvestment
investment | - | Investments/OtherInvestment
investment | life insurance | Insurance/LifeInsurance
investment | other insurance | Insurance/OtherInsurance
brokerage | - | Investments/Brokerage
payroll | payroll | Other/Payroll
other | other | Other/Unknown
other | - | Other/Unknown`
  .trim()
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))

describe('kinds', () => {
  test.each(KINDS)('%s / %s is %s', (type, subtype, expected) => {
    const unknown: string[] = []
    const kind = kindOf({ type: type ?? null, subtype: subtype === '-' ? null : (subtype ?? null), isBusiness: false }, unknown)
    expect([`${kind.type}/${kind.subType}`, unknown]).toEqual([expected, []])
  })

  test('a card of a business is a business card, other kinds stay as they are', () => {
    expect(kindOf({ type: 'credit', subtype: 'credit card', isBusiness: true })).toEqual({ type: 'CreditCards', subType: 'BusinessCard' })
    expect(kindOf({ type: 'depository', subtype: 'checking', isBusiness: true })).toEqual({ type: 'Cash', subType: 'Checking' })
  })

  test('an unknown subtype falls into the group, an unknown type into Unknown, and both are counted', () => {
    const unknown: string[] = []
    expect(kindOf({ type: 'loan', subtype: 'moon mortgage', isBusiness: false }, unknown)).toEqual({ type: 'Loans', subType: 'OtherLoan' })
    expect(kindOf({ type: 'hologram', subtype: null, isBusiness: false }, unknown)).toEqual({ type: 'Other', subType: 'Unknown' })
    expect(kindOf({ type: null, subtype: 'constructor', isBusiness: false }, unknown)).toEqual({ type: 'Other', subType: 'Unknown' })
    expect(unknown).toEqual(['loan/moon mortgage', 'hologram/null', 'null/constructor'])
  })

  test('names that every object has are no words', () => {
    expect(kindOf({ type: 'constructor', subtype: 'toString', isBusiness: false })).toEqual({ type: 'Other', subType: 'Unknown' })
    expect(kindOf({ type: 'loan', subtype: 'toString', isBusiness: false })).toEqual({ type: 'Loans', subType: 'OtherLoan' })
  })
})

function kindOf(words: Parameters<typeof toKind>[0], unknown: string[] = []): BankAccountKind {
  return toKind(words, (word) => unknown.push(word))
}
