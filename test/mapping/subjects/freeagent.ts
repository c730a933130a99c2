import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** A company of the United States: description | nominal_code | its list. */
const CHART = `
Sales | 001 | income_categories -> INCOME INCOME SALES
Interest Received | 051 | general_categories -> INCOME OTHER_INCOME INTEREST_INCOME
Cost of Sales | 101 | cost_of_sales_categories -> EXPENSE COST_OF_GOODS_SOLD
Commission Paid | 102 | cost_of_sales_categories -> EXPENSE COST_OF_GOODS_SOLD
Rent | 221 | admin_expenses_categories -> EXPENSE EXPENSE RENT
Insurance | 250 | admin_expenses_categories -> EXPENSE EXPENSE INSURANCE
Business Travel | 255 | admin_expenses_categories -> EXPENSE EXPENSE TRAVEL
Stationery | 260 | admin_expenses_categories -> EXPENSE EXPENSE
Accommodation and Meals | 285 | admin_expenses_categories -> EXPENSE EXPENSE
Accountancy Fees | 290 | admin_expenses_categories -> EXPENSE EXPENSE PROFESSIONAL_FEES
Bank/Finance Charges | 363 | admin_expenses_categories -> EXPENSE EXPENSE BANK_FEES
Salaries | 401 | general_categories -> EXPENSE EXPENSE PAYROLL
Computer Equipment | 602 | general_categories -> ASSET FIXED_ASSET EQUIPMENT
Accumulated Depreciation | 605 | general_categories -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Stock | 609 | general_categories -> ASSET INVENTORY
Trade Debtors | 681 | general_categories -> ASSET ACCOUNTS_RECEIVABLE
Prepayments | 711 | general_categories -> ASSET PREPAYMENT
Bank Account | 750 | general_categories -> ASSET BANK
Trade Creditors | 796 | general_categories -> LIABILITY ACCOUNTS_PAYABLE
Sales Tax | 817 | general_categories -> LIABILITY TAX_LIABILITY SALES_TAX
Corporation Tax | 820 | general_categories -> LIABILITY TAX_LIABILITY INCOME_TAX
Director Loan Account | 907 | general_categories -> LIABILITY OTHER_CURRENT_LIABILITY SHAREHOLDER_LOAN
Capital | 921 | general_categories -> EQUITY EQUITY
Suspense Account | 999 | general_categories -> UNKNOWN OTHER SUSPENSE
`

/** The general categories of a new limited company of the United Kingdom: description | nominal_code. */
const UNITED_KINGDOM = `
Interest Received | 051 -> INCOME OTHER_INCOME INTEREST_INCOME
Flat Rate Scheme Surplus | 055 -> INCOME OTHER_INCOME
Refund of Other Tax Received | 056 -> INCOME OTHER_INCOME
PAYE/NI Online Filing Incentive Claimed | 057 -> INCOME OTHER_INCOME
Grant Income | 058 -> INCOME OTHER_INCOME
Salaries | 401 -> EXPENSE EXPENSE PAYROLL
Employer NICs | 402 -> EXPENSE EXPENSE PAYROLL
Staff Pensions | 403 -> EXPENSE EXPENSE PAYROLL
Net Salary Expense | 404 -> EXPENSE EXPENSE PAYROLL
PAYE/NI Expense | 405 -> EXPENSE EXPENSE PAYROLL
Directors' Salaries | 407 -> EXPENSE EXPENSE PAYROLL
Directors' Employer NICs | 408 -> EXPENSE EXPENSE PAYROLL
Directors' Staff Pensions | 409 -> EXPENSE EXPENSE PAYROLL
Bad Debts Written Off | 450 -> EXPENSE EXPENSE BAD_DEBT
Depreciation Charge | 460 -> EXPENSE DEPRECIATION
Loss/Gain on Disposal of Capital Asset | 461 -> EXPENSE OTHER_EXPENSE
Corporation Tax Expense | 502 -> EXPENSE EXPENSE TAX_EXPENSE
Deferred Corporation Tax Expense | 503 -> EXPENSE EXPENSE TAX_EXPENSE
Error | 599 -> UNKNOWN OTHER SUSPENSE
Capital Asset Brought Forward | 601 -> ASSET FIXED_ASSET
Capital Asset Purchase | 602 -> ASSET FIXED_ASSET
Disposal of Capital Asset | 604 -> ASSET FIXED_ASSET
Capital Asset Depreciation Brought Forward | 605 -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Capital Asset Depreciation in Year | 606 -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Depreciation on Disposal of Capital Asset | 607 -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Stock Adjustment | 610 -> ASSET INVENTORY
Prepayments | 620 -> ASSET PREPAYMENT
Investments Brought Forward | 630 -> ASSET OTHER_ASSET INVESTMENT
Investments Disposals | 633 -> ASSET OTHER_ASSET INVESTMENT
Provisions of Liabilities | 650 -> LIABILITY OTHER_LIABILITY
Accruals | 660 -> LIABILITY OTHER_CURRENT_LIABILITY
Share Premium | 670 -> EQUITY EQUITY SHARE_CAPITAL
Trade Debtors | 681 -> ASSET ACCOUNTS_RECEIVABLE
Other Debtors | 682 -> ASSET OTHER_CURRENT_ASSET
Bank Account | 750 -> ASSET BANK
Unpresented Items | 760 -> ASSET OTHER_CURRENT_ASSET
Bank Transfers in Progress | 761 -> ASSET OTHER_CURRENT_ASSET
Credit Note Reconciliations | 790 -> UNKNOWN OTHER
Liabilities < 1 Year | 794 -> LIABILITY OTHER_CURRENT_LIABILITY
Liabilities > 1 Year | 795 -> LIABILITY LONG_TERM_LIABILITY
Trade Creditors | 796 -> LIABILITY ACCOUNTS_PAYABLE
Other Creditors | 797 -> LIABILITY OTHER_CURRENT_LIABILITY
Non-Bill HP Liabilities < 1 Year | 798 -> LIABILITY OTHER_CURRENT_LIABILITY LEASE
Non-Bill HP Liabilities > 1 Year | 799 -> LIABILITY LONG_TERM_LIABILITY LEASE
Pension Creditor | 813 -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
PAYE/NI | 814 -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Other Payroll Deductions | 815 -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
VAT | 817 -> LIABILITY TAX_LIABILITY SALES_TAX
VAT Reclaimed | 818 -> LIABILITY TAX_LIABILITY SALES_TAX
VAT Charged | 819 -> LIABILITY TAX_LIABILITY SALES_TAX
Corporation Tax | 820 -> LIABILITY TAX_LIABILITY INCOME_TAX
Deferred VAT | 823 -> LIABILITY TAX_LIABILITY SALES_TAX
VAT Mini One Stop Shop | 824 -> LIABILITY TAX_LIABILITY SALES_TAX
Deferred Corporation Tax | 825 -> LIABILITY TAX_LIABILITY INCOME_TAX
Smart User Payment | 900 -> LIABILITY OTHER_CURRENT_LIABILITY SHAREHOLDER_LOAN
Capital Account | 901 -> EQUITY EQUITY SHARE_CAPITAL
Salary and Bonuses | 902 -> LIABILITY OTHER_CURRENT_LIABILITY SHAREHOLDER_LOAN
Expense Account | 905 -> LIABILITY OTHER_CURRENT_LIABILITY SHAREHOLDER_LOAN
Director Loan Account | 907 -> LIABILITY OTHER_CURRENT_LIABILITY SHAREHOLDER_LOAN
Dividend | 908 -> EQUITY EQUITY DIVIDENDS
Unpaid Shares | 910 -> ASSET OTHER_CURRENT_ASSET
Profit and Loss | 968 -> EQUITY RETAINED_EARNINGS
Contra Account | 998 -> UNKNOWN OTHER
Suspense Account | 999 -> UNKNOWN OTHER SUSPENSE
`

const UNITED_STATES = { currency: 'USD', type: 'UsLimitedLiabilityCompany' }

function toWire([description = '', nominal_code = '', group = 'general_categories']: readonly string[], company: object): unknown {
  const url = `https://api.freeagent.com/v2/categories/${nominal_code}`
  return { category: { url, description, nominal_code }, group, bankAccount: null, company }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, (cells) => toWire(cells, UNITED_STATES)),
      floors: { accounts: 24, class: 23, type: 23, subType: 14, unknownWords: 0 },
    },
    {
      name: 'default, United Kingdom',
      read: () => accountsOf(UNITED_KINGDOM, (cells) => toWire(cells, { currency: 'GBP', type: 'UkLimitedCompany' })),
      floors: { accounts: 64, class: 60, type: 60, subType: 38, unknownWords: 2 },
    },
  ],
}
