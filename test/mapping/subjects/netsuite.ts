import { accountsOf, commonExpenses } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** A company of the United States or Canada: name | accttype | sspecacct. */
const CHART = `
Checking | Bank -> ASSET BANK CHECKING
Petty Cash | Bank -> ASSET BANK CASH
Undeposited Funds | Bank | UndepFunds -> ASSET BANK UNDEPOSITED_FUNDS
Accounts Receivable | AcctRec | AcctRec -> ASSET ACCOUNTS_RECEIVABLE
Unbilled Receivable | UnbilledRec | UnbilledRec -> ASSET ACCOUNTS_RECEIVABLE
Inventory Asset | OthCurrAsset | InvtAsset -> ASSET INVENTORY
Advances Paid | OthCurrAsset | AdvPaid -> ASSET PREPAYMENT
Prepaid Insurance | OthCurrAsset -> ASSET PREPAYMENT
Deferred Expense | DeferExpense | DeferExpense -> ASSET PREPAYMENT
Furniture and Fixtures | FixedAsset -> ASSET FIXED_ASSET EQUIPMENT
Accumulated Depreciation | FixedAsset -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Security Deposits | OthAsset -> ASSET OTHER_ASSET SECURITY_DEPOSIT
Accounts Payable | AcctPay | AcctPay -> LIABILITY ACCOUNTS_PAYABLE
Corporate Amex | CredCard -> LIABILITY CREDIT_CARD
Sales Taxes Payable | OthCurrLiab | SalesTaxPay -> LIABILITY TAX_LIABILITY SALES_TAX
Payroll Liabilities | OthCurrLiab | PayrollLiab -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Customer Deposits | OthCurrLiab | CustDep -> LIABILITY OTHER_CURRENT_LIABILITY CUSTOMER_DEPOSIT
Income Taxes Payable | OthCurrLiab -> LIABILITY TAX_LIABILITY INCOME_TAX
Deferred Revenue | DeferRevenue | DeferRevenue -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Term Loan | LongTermLiab -> LIABILITY LONG_TERM_LIABILITY LOAN
Common Stock | Equity -> EQUITY EQUITY SHARE_CAPITAL
Opening Balance | Equity | OpeningBalEquity -> EQUITY EQUITY OPENING_BALANCE_EQUITY
Retained Earnings | Equity | RetEarnings -> EQUITY RETAINED_EARNINGS
Sales | Income -> INCOME INCOME SALES
Interest Income | OthIncome -> INCOME OTHER_INCOME INTEREST_INCOME
Realized Gain/Loss | OthIncome | RealizedERV -> INCOME OTHER_INCOME FX_GAIN_LOSS
Cost of Goods Sold | COGS | COGS -> EXPENSE COST_OF_GOODS_SOLD
${commonExpenses('Expense')}
Depreciation Expense | Expense -> EXPENSE DEPRECIATION
Interest Expense | OthExpense -> EXPENSE OTHER_EXPENSE INTEREST_EXPENSE
Rounding Gain/Loss | OthExpense | RndERV -> EXPENSE OTHER_EXPENSE ROUNDING
Purchase Orders | NonPosting | PurchOrd -> NON_POSTING OTHER
Headcount | Stat -> NON_POSTING OTHER
`

function toWire([name = '', accttype = '', sspecacct]: readonly string[], id: number): unknown {
  const special = sspecacct === undefined ? {} : { sspecacct }
  return {
    account: { id: String(id), acctnumber: '', accountsearchdisplaynamecopy: name, accttype, isinactive: 'F', issummary: 'F', ...special },
    currency: 'USD',
  }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 47, class: 47, type: 47, subType: 30, unknownWords: 0 },
    },
  ],
}
