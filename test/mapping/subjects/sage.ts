import { accountsOf, commonExpenses } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** A company of the United States or Canada: name | ledger_account_type | control_name. */
const CHART = `
Checking | BANK -> ASSET BANK CHECKING
Petty Cash | BANK -> ASSET BANK CASH
Accounts Receivable | CURRENT_ASSETS | Trade Debtors -> ASSET ACCOUNTS_RECEIVABLE
Prepaid expenses | CURRENT_ASSETS -> ASSET PREPAYMENT
Office equipment - Cost | FIXED_ASSETS -> ASSET FIXED_ASSET EQUIPMENT
Office equipment - Accumulated depreciation | FIXED_ASSETS -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Goodwill | FUTURE_ASSETS -> ASSET OTHER_ASSET GOODWILL
Accounts Payable | CURRENT_LIABILITY | Trade Creditors -> LIABILITY ACCOUNTS_PAYABLE
Sales tax payable | CURRENT_LIABILITY -> LIABILITY TAX_LIABILITY SALES_TAX
Payroll liabilities | CURRENT_LIABILITY -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Bank loan | FUTURE_LIABILITY -> LIABILITY LONG_TERM_LIABILITY LOAN
Owner's investment | EQUITY -> EQUITY EQUITY OWNERS_EQUITY
Retained earnings | EQUITY -> EQUITY RETAINED_EARNINGS
Product sales | SALES -> INCOME INCOME SALES
Interest income | OTHER_INCOME -> INCOME OTHER_INCOME INTEREST_INCOME
Cost of goods sold | DIRECT_EXPENSES -> EXPENSE COST_OF_GOODS_SOLD
${commonExpenses('OVERHEADS')}
Depreciation | DEPRECIATION -> EXPENSE DEPRECIATION
`

function toWire([name = '', type = '', control_name]: readonly string[], index: number): unknown {
  const control = control_name === undefined ? {} : { control_name, is_control_account: true }
  return { id: `account-${index}`, name, displayed_as: name, ledger_account_type: { id: type }, included_in_chart: true, ...control }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 32, class: 32, type: 32, subType: 22, unknownWords: 0 },
    },
  ],
}
