import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** The demonstration company of North America: displayName | category | subCategory. */
const CHART = `
ASSETS | Assets | | Heading -> NON_POSTING OTHER
Total Assets | Assets | | End-Total -> NON_POSTING OTHER
Bank, Checking | Assets | Cash -> ASSET BANK CHECKING
Petty Cash | Assets | Cash -> ASSET BANK CASH
Accounts Receivable, Domestic | Assets | Accounts Receivable -> ASSET ACCOUNTS_RECEIVABLE
Prepaid Rent | Assets | Prepaid Expenses -> ASSET PREPAYMENT
Inventory | Assets | Inventory -> ASSET INVENTORY
Office Equipment | Assets | Equipment -> ASSET FIXED_ASSET EQUIPMENT
Accum. Depreciation, Office Equipment | Assets | Accumulated Depreciation -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Land and Buildings | Assets | Fixed Assets -> ASSET FIXED_ASSET
Other Receivables | Assets | Current Assets -> ASSET OTHER_CURRENT_ASSET
Accounts Payable, Domestic | Liabilities | Current Liabilities -> LIABILITY OTHER_CURRENT_LIABILITY
GST/HST - Sales Tax | Liabilities | Current Liabilities -> LIABILITY TAX_LIABILITY SALES_TAX
Federal Withholding Payable | Liabilities | Payroll Liabilities -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Mortgage | Liabilities | Long Term Liabilities -> LIABILITY LONG_TERM_LIABILITY LOAN
Capital Stock | Equity | Common Stock -> EQUITY EQUITY SHARE_CAPITAL
Retained Earnings | Equity | Retained Earnings -> EQUITY RETAINED_EARNINGS
Distributions to Shareholders | Equity | Distributions to Shareholders -> EQUITY EQUITY DIVIDENDS
Sales, Retail - Domestic | Income | Income, Product Sales -> INCOME INCOME SALES
Consulting Fees | Income | Income, Services -> INCOME INCOME SERVICES
Interest on Bank Balances | Income | Income, Interest -> INCOME OTHER_INCOME INTEREST_INCOME
Job Sales | Income | Income, Jobs -> INCOME INCOME
Purchases, Retail - Domestic | Cost_x0020_of_x0020_Goods_x0020_Sold | Materials -> EXPENSE COST_OF_GOODS_SOLD
Rent / Leases | Expense | Rent Expense -> EXPENSE EXPENSE RENT
Electricity and Heating | Expense | Utilities Expense -> EXPENSE EXPENSE UTILITIES
Advertising | Expense | Advertising Expense -> EXPENSE EXPENSE MARKETING
Legal and Accounting Services | Expense | Fees Expense -> EXPENSE EXPENSE PROFESSIONAL_FEES
Office Supplies | Expense -> EXPENSE EXPENSE
Insurance | Expense | Insurance Expense -> EXPENSE EXPENSE INSURANCE
Salaries | Expense | Salaries Expense -> EXPENSE EXPENSE PAYROLL
Travel | Expense | Travel Expense -> EXPENSE EXPENSE TRAVEL
Bad Debt Losses | Expense | Bad Debt Expense -> EXPENSE EXPENSE BAD_DEBT
Income Tax | Expense | Tax Expense -> EXPENSE EXPENSE TAX_EXPENSE
Depreciation, Equipment | Expense -> EXPENSE DEPRECIATION
Interest Expense | Expense | Interest Expense -> EXPENSE EXPENSE INTEREST_EXPENSE
FX Losses | Expense | Other Income & Expenses -> EXPENSE OTHER_EXPENSE
`

function toWire([displayName = '', category = '', subCategory = '', accountType = 'Posting']: readonly string[], index: number): unknown {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return {
    account: { id, number: String(10000 + index), displayName, category, subCategory, accountType, blocked: false },
    currencyCode: 'CAD',
  }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 36, class: 36, type: 36, subType: 22, unknownWords: 0 },
    },
  ],
}
