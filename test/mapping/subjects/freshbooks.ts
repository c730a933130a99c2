import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** Accounts of a new FreshBooks business: name | type | sub_type | system_account_name. */
const DEFAULT = `
Cash | asset | Cash & Bank | Cash -> ASSET BANK CASH
Petty Cash | asset | Cash & Bank | Petty Cash -> ASSET BANK CASH
Accounts Receivable | asset | Current Asset | Accounts Receivable -> ASSET ACCOUNTS_RECEIVABLE
Prepaid Expenses | asset | Current Asset -> ASSET PREPAYMENT
Inventory | asset | Current Asset -> ASSET INVENTORY
Property, Plant, and Equipment | asset | Property, Plant, and Equipment -> ASSET FIXED_ASSET EQUIPMENT
Accumulated Depreciation | asset | Property, Plant, and Equipment -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Goodwill | asset | Long-Term Asset -> ASSET OTHER_ASSET GOODWILL
Accounts Payable | liability | Current Liability | Accounts Payable -> LIABILITY ACCOUNTS_PAYABLE
Sales Tax Payable | liability | Current Liability -> LIABILITY TAX_LIABILITY SALES_TAX
Customer Deposits | liability | Current Liability -> LIABILITY OTHER_CURRENT_LIABILITY CUSTOMER_DEPOSIT
Unearned Revenue | liability | Current Liability -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Payroll Liabilities | liability | Current Liability -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Loans | liability | Long-Term Liability -> LIABILITY LONG_TERM_LIABILITY LOAN
Owner's Equity | equity | Equity -> EQUITY EQUITY OWNERS_EQUITY
Owner's Draw | equity | Equity -> EQUITY EQUITY OWNERS_EQUITY
Retained Earnings | equity | Equity | Retained Earnings -> EQUITY RETAINED_EARNINGS
Sales | income | Income -> INCOME INCOME SALES
Interest Income | income | Income -> INCOME OTHER_INCOME INTEREST_INCOME
Other Income | income | Income -> INCOME INCOME
Cost of Goods Sold | expense | Cost of Goods Sold -> EXPENSE COST_OF_GOODS_SOLD
Advertising | expense | Operating Expense -> EXPENSE EXPENSE MARKETING
Car & Truck Expenses | expense | Operating Expense -> EXPENSE EXPENSE
Contractors | expense | Operating Expense -> EXPENSE EXPENSE
Education and Training | expense | Operating Expense -> EXPENSE EXPENSE
Employee Benefits | expense | Operating Expense -> EXPENSE EXPENSE PAYROLL
Meals & Entertainment | expense | Operating Expense -> EXPENSE EXPENSE MEALS
Office Expenses & Postage | expense | Operating Expense -> EXPENSE EXPENSE
Professional Fees | expense | Operating Expense -> EXPENSE EXPENSE PROFESSIONAL_FEES
Rent or Lease | expense | Operating Expense -> EXPENSE EXPENSE RENT
Supplies | expense | Operating Expense -> EXPENSE EXPENSE
Travel | expense | Operating Expense -> EXPENSE EXPENSE TRAVEL
Utilities | expense | Operating Expense -> EXPENSE EXPENSE UTILITIES
Bank Fees | expense | Operating Expense -> EXPENSE EXPENSE BANK_FEES
Depreciation Expense | expense | Operating Expense -> EXPENSE DEPRECIATION
Income Tax Expense | expense | Operating Expense -> EXPENSE EXPENSE TAX_EXPENSE
`

function toWire([name = '', type = '', sub_type = '', system_account_name]: readonly string[], index: number): unknown {
  return { uuid: `account-${index}`, name, type, sub_type, state: 'active', ...(system_account_name && { system_account_name }) }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default',
      read: () => accountsOf(DEFAULT, toWire),
      floors: { accounts: 36, class: 36, type: 36, subType: 23, unknownWords: 0 },
    },
  ],
}
