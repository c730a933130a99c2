import { accountsOf, commonExpenses } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** Accounts of a new company file: name | Type. */
const CHART = `
Assets | Bank | header -> NON_POSTING OTHER
Business Bank Account #1 | Bank -> ASSET BANK
Business Savings | Bank -> ASSET BANK SAVINGS
Petty Cash | Bank -> ASSET BANK CASH
Undeposited Funds | Bank -> ASSET BANK
Trade Debtors | AccountReceivable -> ASSET ACCOUNTS_RECEIVABLE
Inventory | OtherCurrentAsset -> ASSET INVENTORY
Prepayments | OtherCurrentAsset -> ASSET PREPAYMENT
Office Equipment at Cost | FixedAsset -> ASSET FIXED_ASSET EQUIPMENT
Office Equipment Accum. Depreciation | FixedAsset -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Motor Vehicles at Cost | FixedAsset -> ASSET FIXED_ASSET VEHICLES
Goodwill | OtherAsset -> ASSET OTHER_ASSET GOODWILL
Visa | CreditCard -> LIABILITY CREDIT_CARD
Trade Creditors | AccountsPayable -> LIABILITY ACCOUNTS_PAYABLE
GST Collected | OtherCurrentLiability -> LIABILITY TAX_LIABILITY SALES_TAX
GST Paid | OtherCurrentLiability -> LIABILITY TAX_LIABILITY SALES_TAX
Payroll Accruals Payable | OtherCurrentLiability -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Superannuation Payable | OtherCurrentLiability -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Customer Deposits | OtherCurrentLiability -> LIABILITY OTHER_CURRENT_LIABILITY CUSTOMER_DEPOSIT
Bank Loans | LongTermLiability -> LIABILITY LONG_TERM_LIABILITY LOAN
Owner's Capital | Equity -> EQUITY EQUITY OWNERS_EQUITY
Owner's Drawings | Equity -> EQUITY EQUITY OWNERS_EQUITY
Retained Earnings | Equity -> EQUITY RETAINED_EARNINGS
Current Year Earnings | Equity -> EQUITY EQUITY
Historical Balancing | Equity -> EQUITY EQUITY
Sales | Income -> INCOME INCOME SALES
Interest Income | OtherIncome -> INCOME OTHER_INCOME INTEREST_INCOME
Purchases | CostOfSales -> EXPENSE COST_OF_GOODS_SOLD
${commonExpenses('Expense')}
Depreciation | Expense -> EXPENSE DEPRECIATION
Interest Expense | OtherExpense -> EXPENSE OTHER_EXPENSE INTEREST_EXPENSE
Income Tax Expense | OtherExpense -> EXPENSE OTHER_EXPENSE TAX_EXPENSE
`

function toWire([Name = '', Type = '', header]: readonly string[], index: number): unknown {
  return { UID: `account-${index}`, Name, Type, IsActive: true, IsHeader: header !== undefined, baseCurrency: 'AUD' }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 46, class: 46, type: 46, subType: 29, unknownWords: 0 },
    },
  ],
}
