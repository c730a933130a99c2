import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/**
 * The standard chart of ERPNext for a company of the United States or Canada: name | group | root_type | account_type.
 * Source: erpnext/accounts/doctype/account/chart_of_accounts/verified/standard_chart_of_accounts.py
 */
const STANDARD = `
Current Assets | * | Asset -> NON_POSTING OTHER
Debtors | Accounts Receivable | Asset | Receivable -> ASSET ACCOUNTS_RECEIVABLE
Checking | Bank Accounts | Asset | Bank -> ASSET BANK CHECKING
Cash | Cash In Hand | Asset | Cash -> ASSET BANK CASH
Employee Advances | Loans and Advances (Assets) | Asset -> ASSET OTHER_CURRENT_ASSET EMPLOYEE_ADVANCE
Earnest Money | Securities and Deposits | Asset -> ASSET OTHER_CURRENT_ASSET
Stock In Hand | Stock Assets | Asset | Stock -> ASSET INVENTORY
Tax Assets | Current Assets | Asset -> ASSET OTHER_CURRENT_ASSET
Prepaid Expenses | Current Assets | Asset -> ASSET PREPAYMENT
Buildings | Fixed Assets | Asset | Fixed Asset -> ASSET FIXED_ASSET BUILDINGS
Electronic Equipment | Fixed Assets | Asset | Fixed Asset -> ASSET FIXED_ASSET EQUIPMENT
Office Equipment | Fixed Assets | Asset -> ASSET FIXED_ASSET EQUIPMENT
Accumulated Depreciation | Fixed Assets | Asset | Accumulated Depreciation -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
CWIP Account | Fixed Assets | Asset | Capital Work in Progress -> ASSET FIXED_ASSET
Temporary Opening | Temporary Accounts | Asset | Temporary -> ASSET OTHER_CURRENT_ASSET
Creditors | Accounts Payable | Liability | Payable -> LIABILITY ACCOUNTS_PAYABLE
Payroll Payable | Accounts Payable | Liability -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
GST | Duties and Taxes | Liability | Tax -> LIABILITY TAX_LIABILITY SALES_TAX
TDS Payable | Duties and Taxes | Liability -> LIABILITY TAX_LIABILITY
Secured Loans | Loans (Liabilities) | Liability -> LIABILITY LONG_TERM_LIABILITY LOAN
Bank Overdraft Account | Loans (Liabilities) | Liability -> LIABILITY LONG_TERM_LIABILITY
Stock Received But Not Billed | Stock Liabilities | Liability | Stock Received But Not Billed -> LIABILITY OTHER_CURRENT_LIABILITY
Capital Stock | Equity | Equity -> EQUITY EQUITY
Dividends Paid | Equity | Equity -> EQUITY EQUITY DIVIDENDS
Opening Balance Equity | Equity | Equity -> EQUITY EQUITY OPENING_BALANCE_EQUITY
Retained Earnings | Equity | Equity -> EQUITY RETAINED_EARNINGS
Sales | Direct Income | Income -> INCOME INCOME SALES
Service | Direct Income | Income -> INCOME INCOME SERVICES
Interest Income | Indirect Income | Income -> INCOME OTHER_INCOME INTEREST_INCOME
Cost of Goods Sold | Stock Expenses | Expense | Cost of Goods Sold -> EXPENSE COST_OF_GOODS_SOLD
Freight and Forwarding Charges | Direct Expenses | Expense -> EXPENSE COST_OF_GOODS_SOLD
Administrative Expenses | Indirect Expenses | Expense -> EXPENSE EXPENSE
Commission on Sales | Indirect Expenses | Expense -> EXPENSE EXPENSE
Depreciation | Indirect Expenses | Expense | Depreciation -> EXPENSE DEPRECIATION
Entertainment Expenses | Indirect Expenses | Expense -> EXPENSE EXPENSE
Legal Expenses | Indirect Expenses | Expense -> EXPENSE EXPENSE PROFESSIONAL_FEES
Marketing Expenses | Indirect Expenses | Expense | Chargeable -> EXPENSE EXPENSE MARKETING
Office Rent | Indirect Expenses | Expense -> EXPENSE EXPENSE RENT
Round Off | Indirect Expenses | Expense | Round Off -> EXPENSE EXPENSE ROUNDING
Salary | Indirect Expenses | Expense -> EXPENSE EXPENSE PAYROLL
Travel Expenses | Indirect Expenses | Expense -> EXPENSE EXPENSE TRAVEL
Utility Expenses | Indirect Expenses | Expense -> EXPENSE EXPENSE
Exchange Gain/Loss | Indirect Expenses | Expense -> EXPENSE EXPENSE FX_GAIN_LOSS
`

function toWire([account_name = '', group = '', root_type = '', account_type = '']: readonly string[], index: number): unknown {
  const is_group = group === '*' ? 1 : 0
  return {
    name: `${1000 + index} - ${account_name} - WP`,
    account_name,
    root_type,
    account_type,
    is_group,
    parent_account: `${group} - WP`,
    account_currency: 'USD',
    disabled: 0,
  }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'standard',
      read: () => accountsOf(STANDARD, toWire),
      floors: { accounts: 43, class: 43, type: 43, subType: 22, unknownWords: 0 },
    },
  ],
}
