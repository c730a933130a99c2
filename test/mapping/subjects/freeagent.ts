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
Salaries | 401 | general_categories -> UNKNOWN OTHER
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

function toWire([description = '', nominal_code = '', group = '']: readonly string[]): unknown {
  const url = `https://api.freeagent.com/v2/categories/${nominal_code}`
  return {
    category: { url, description, nominal_code },
    group,
    bankAccount: null,
    company: { currency: 'USD', type: 'UsLimitedLiabilityCompany' },
  }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 24, class: 22, type: 22, subType: 13, unknownWords: 1 },
    },
  ],
}
