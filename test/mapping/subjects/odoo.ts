import { existsSync, readFileSync } from 'node:fs'
import { accountsOf } from '../lines.ts'
import type { ChartAccount, MappingSubject } from '../subject.ts'

const SAMPLE = new URL('../../../../shared/samples/accounting/odoo/account.account.generic_coa.json', import.meta.url)

/** Accounts that the charts of the United States and Canada add to the generic one: name | account_type. */
const NORTH_AMERICA = `
Bank | asset_cash -> ASSET BANK
Cash | asset_cash -> ASSET BANK CASH
Account Receivable | asset_receivable -> ASSET ACCOUNTS_RECEIVABLE
Prepaid Expenses | asset_current -> ASSET PREPAYMENT
GST receivable | asset_current -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Buildings | asset_fixed -> ASSET FIXED_ASSET BUILDINGS
Accumulated Depreciation - Buildings | asset_fixed -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Vehicles | asset_fixed -> ASSET FIXED_ASSET VEHICLES
Goodwill | asset_non_current -> ASSET OTHER_ASSET GOODWILL
Account Payable | liability_payable -> LIABILITY ACCOUNTS_PAYABLE
Credit Card | liability_credit_card -> LIABILITY CREDIT_CARD
GST to pay | liability_current -> LIABILITY TAX_LIABILITY SALES_TAX
HST to pay - 13% | liability_current -> LIABILITY TAX_LIABILITY SALES_TAX
Income Tax Payable | liability_current -> LIABILITY TAX_LIABILITY INCOME_TAX
Salary Payable | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Deferred Revenue | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Mortgage | liability_non_current -> LIABILITY LONG_TERM_LIABILITY LOAN
Common Shares | equity -> EQUITY EQUITY SHARE_CAPITAL
Undistributed Profits/Losses | equity_unaffected -> EQUITY RETAINED_EARNINGS
Product Sales | income -> INCOME INCOME SALES
Foreign Exchange Gain | income -> INCOME INCOME FX_GAIN_LOSS
Other Income | income_other -> INCOME OTHER_INCOME
Cost of Goods Sold | expense_direct_cost -> EXPENSE COST_OF_GOODS_SOLD
Rent | expense -> EXPENSE EXPENSE RENT
Bank Fees | expense -> EXPENSE EXPENSE BANK_FEES
Salary Expenses | expense -> EXPENSE EXPENSE PAYROLL
Insurance | expense -> EXPENSE EXPENSE INSURANCE
Foreign Exchange Loss | expense -> EXPENSE EXPENSE FX_GAIN_LOSS
Depreciation | expense_depreciation -> EXPENSE DEPRECIATION
Expenses to classify | expense_other -> EXPENSE OTHER_EXPENSE
Commitments | off_balance -> NON_POSTING OTHER
`

/** Of the Canadian chart of 18 and later what its names and its marks say: name | account_type | mark of trade. */
const CANADA = `
Cash | asset_cash -> ASSET BANK CASH
Compte courant | asset_cash -> ASSET BANK
Bank Suspense Account | asset_current -> ASSET OTHER_CURRENT_ASSET SUSPENSE
Funds in Transfers | asset_current -> ASSET OTHER_CURRENT_ASSET MONEY_IN_TRANSIT
Outstanding Receipts | asset_current -> ASSET OTHER_CURRENT_ASSET
GST Paid | asset_current -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Tax Paid | asset_current -> ASSET OTHER_CURRENT_ASSET SALES_TAX
TVP payée | asset_current -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Inventory Valuation | asset_current -> ASSET INVENTORY
Work in Progress | asset_current -> ASSET OTHER_CURRENT_ASSET
Accounts Receivable (PoS) | asset_receivable -> ASSET ACCOUNTS_RECEIVABLE
Tax Receivable | asset_receivable | none -> ASSET OTHER_CURRENT_ASSET SALES_TAX
QST Receivable | asset_receivable | none -> ASSET OTHER_CURRENT_ASSET SALES_TAX
TVH à recevoir | asset_receivable | none -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Prepayments | asset_prepayments -> ASSET PREPAYMENT
Land | asset_fixed -> ASSET FIXED_ASSET LAND
Buildings | asset_fixed -> ASSET FIXED_ASSET BUILDINGS
Leasehold Improvements | asset_fixed -> ASSET FIXED_ASSET
Furniture & Fixtures | asset_fixed -> ASSET FIXED_ASSET EQUIPMENT
Machines & Tools | asset_fixed -> ASSET FIXED_ASSET EQUIPMENT
Matériel informatique | asset_fixed -> ASSET FIXED_ASSET EQUIPMENT
Accumulated Amortization - Vehicles | asset_fixed -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Amortissement cumulé - Bâtiments | asset_fixed -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Accounts Payable | liability_payable -> LIABILITY ACCOUNTS_PAYABLE
Tax Payable | liability_payable | none -> LIABILITY TAX_LIABILITY SALES_TAX
HST Payable | liability_payable | none -> LIABILITY TAX_LIABILITY SALES_TAX
TVP à payer | liability_payable | none -> LIABILITY TAX_LIABILITY SALES_TAX
GST Received | liability_current -> LIABILITY TAX_LIABILITY SALES_TAX
Accrued Payroll | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Vacances à payer | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
DAS provinciales à payer | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
CNESST Payable | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Customer Deposits | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY CUSTOMER_DEPOSIT
Revenus reportés | liability_current -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Common Shares | equity -> EQUITY EQUITY SHARE_CAPITAL
Retained Earnings | equity -> EQUITY RETAINED_EARNINGS
Sales Revenue | income -> INCOME INCOME SALES
Discounts Given | income -> INCOME INCOME DISCOUNTS
Foreign Exchange Gain | income_other -> INCOME OTHER_INCOME FX_GAIN_LOSS
Payroll Tax | expense -> EXPENSE EXPENSE PAYROLL
Workers Compensation Insurance | expense -> EXPENSE EXPENSE PAYROLL
Legal Fees | expense -> EXPENSE EXPENSE PROFESSIONAL_FEES
Office Rent | expense -> EXPENSE EXPENSE RENT
Software | expense -> EXPENSE EXPENSE
Auto Insurance | expense -> EXPENSE EXPENSE INSURANCE
Hotels | expense -> EXPENSE EXPENSE TRAVEL
Interest Expense | expense -> EXPENSE EXPENSE INTEREST_EXPENSE
`

/** Of the generic chart of 12 to 15 what its names say: name | type, by its name. Types had no word of their own then. */
const UNTIL_15 = `
Bank | Bank and Cash -> ASSET BANK
Cash | Bank and Cash -> ASSET BANK CASH
Liquidity Transfer | Current Assets -> ASSET OTHER_CURRENT_ASSET MONEY_IN_TRANSIT
Bank Suspense Account | Current Assets -> ASSET OTHER_CURRENT_ASSET SUSPENSE
Stock Valuation | Current Assets -> ASSET INVENTORY
Stock Interim (Received) | Current Assets -> ASSET OTHER_CURRENT_ASSET
Account Receivable | Receivable -> ASSET ACCOUNTS_RECEIVABLE
Tax Paid | Current Assets -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Tax Receivable | Current Assets -> ASSET OTHER_CURRENT_ASSET SALES_TAX
Prepayments | Prepayments -> ASSET PREPAYMENT
Fixed Asset | Fixed Assets -> ASSET FIXED_ASSET
Non-current assets | Non-current Assets -> ASSET OTHER_ASSET
Account Payable | Payable -> LIABILITY ACCOUNTS_PAYABLE
Tax Received | Current Liabilities -> LIABILITY TAX_LIABILITY SALES_TAX
Tax Payable | Current Liabilities -> LIABILITY TAX_LIABILITY SALES_TAX
Non-current Liabilities | Non-current Liabilities -> LIABILITY LONG_TERM_LIABILITY
Capital | Equity -> EQUITY EQUITY
Dividends | Equity -> EQUITY EQUITY DIVIDENDS
Undistributed Profits/Losses | Current Year Earnings -> EQUITY RETAINED_EARNINGS
Product Sales | Income -> INCOME INCOME SALES
Foreign Exchange Gain | Income -> INCOME INCOME FX_GAIN_LOSS
Other Income | Other Income -> INCOME OTHER_INCOME
Cost of Goods Sold | Cost of Revenue -> EXPENSE COST_OF_GOODS_SOLD
Expenses | Expenses -> EXPENSE EXPENSE
Rent | Expenses -> EXPENSE EXPENSE RENT
Bank Fees | Expenses -> EXPENSE EXPENSE BANK_FEES
Salary Expenses | Expenses -> EXPENSE EXPENSE PAYROLL
Foreign Exchange Loss | Expenses -> EXPENSE EXPENSE FX_GAIN_LOSS
`

function toOldWire([name = '', type = '']: readonly string[], id: number): unknown {
  const base = { id, name, code: String(1000 + id), currency_id: false, deprecated: false }
  return { ...base, userType: { id: 7, name: type, type: 'other' }, companyCurrency: [3, 'CAD'] }
}

function toWire([name = '', account_type = '', trade = '']: readonly string[], id: number): unknown {
  return {
    id,
    name,
    code: String(1000 + id),
    account_type,
    currency_id: false,
    non_trade: trade === 'none',
    deprecated: false,
    userType: null,
    companyCurrency: [3, 'CAD'],
  }
}

/** The generic chart as Odoo publishes it; null without the reference material. */
function readGeneric(): ChartAccount[] | null {
  if (!existsSync(SAMPLE)) return null
  const rows = JSON.parse(readFileSync(SAMPLE, 'utf8')) as { name: string; account_type: string }[]
  const classes = { asset: 'ASSET', liability: 'LIABILITY', equity: 'EQUITY', income: 'INCOME', expense: 'EXPENSE' } as const
  return rows.map(({ name, account_type }, index) => ({
    label: name,
    wire: toWire([name, account_type], index + 1),
    expected: { class: Object.entries(classes).find(([group]) => account_type.startsWith(group))?.[1] ?? 'NON_POSTING' },
  }))
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'United States and Canada',
      read: () => accountsOf(NORTH_AMERICA, toWire),
      floors: { accounts: 31, class: 31, type: 31, subType: 20, unknownWords: 0 },
    },
    {
      name: 'Canada, from 18 on',
      read: () => accountsOf(CANADA, toWire),
      floors: { accounts: 47, class: 47, type: 47, subType: 37, unknownWords: 0 },
    },
    {
      name: 'generic, until 15',
      read: () => accountsOf(UNTIL_15, toOldWire),
      floors: { accounts: 28, class: 28, type: 28, subType: 14, unknownWords: 0 },
    },
    {
      name: 'generic',
      read: readGeneric,
      needs: { what: '../shared/samples', isFailureInCi: false },
      floors: { accounts: 45, class: 45, type: 45, subType: 15, unknownWords: 0 },
    },
  ],
}
