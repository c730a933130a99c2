import { accountsOf, commonExpenses } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** Accounts of a new organization in the United States or Canada: name | account_type. */
const CHART = `
Petty Cash | cash -> ASSET BANK CASH
Undeposited Funds | cash -> ASSET BANK CASH
Chequing | bank -> ASSET BANK CHECKING
Accounts Receivable | accounts_receivable -> ASSET ACCOUNTS_RECEIVABLE
Inventory Asset | stock -> ASSET INVENTORY
Advance Tax | other_current_asset -> ASSET OTHER_CURRENT_ASSET
Employee Advance | other_current_asset -> ASSET OTHER_CURRENT_ASSET EMPLOYEE_ADVANCE
Prepaid Expenses | other_current_asset -> ASSET PREPAYMENT
Furniture and Equipment | fixed_asset -> ASSET FIXED_ASSET EQUIPMENT
Accounts Payable | accounts_payable -> LIABILITY ACCOUNTS_PAYABLE
Visa | credit_card -> LIABILITY CREDIT_CARD
Tax Payable | other_current_liability -> LIABILITY TAX_LIABILITY
Unearned Revenue | other_current_liability -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Opening Balance Adjustments | other_current_liability -> LIABILITY OTHER_CURRENT_LIABILITY
Employee Reimbursements | other_current_liability -> LIABILITY OTHER_CURRENT_LIABILITY
Mortgages | long_term_liability -> LIABILITY LONG_TERM_LIABILITY LOAN
Construction Loans | long_term_liability -> LIABILITY LONG_TERM_LIABILITY LOAN
Owner's Equity | equity -> EQUITY EQUITY OWNERS_EQUITY
Drawings | equity -> EQUITY EQUITY OWNERS_EQUITY
Opening Balance Offset | equity -> EQUITY EQUITY OPENING_BALANCE_EQUITY
Retained Earnings | equity -> EQUITY RETAINED_EARNINGS
Sales | income -> INCOME INCOME SALES
Discount | income -> INCOME INCOME
Interest Income | income -> INCOME OTHER_INCOME INTEREST_INCOME
Shipping Charge | income -> INCOME INCOME
Late Fee Income | other_income -> INCOME OTHER_INCOME
Cost of Goods Sold | cost_of_goods_sold -> EXPENSE COST_OF_GOODS_SOLD
${commonExpenses('expense')}
Depreciation Expense | expense -> EXPENSE DEPRECIATION
Exchange Gain or Loss | other_expense -> EXPENSE OTHER_EXPENSE FX_GAIN_LOSS
`

function toWire([account_name = '', account_type = '']: readonly string[], index: number): unknown {
  return { account_id: String(index), account_name, account_type, is_active: true, currencyCode: 'CAD' }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 44, class: 44, type: 44, subType: 25, unknownWords: 0 },
    },
  ],
}
