import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/**
 * A new company in the United States and Canada, based on the accounts of Xero's demo company: name | Type, and
 * SystemAccount if Xero manages the account itself.
 */
const NORTH_AMERICA = `
Business Bank Account | BANK -> ASSET BANK
Business Savings Account | BANK -> ASSET BANK SAVINGS
Accounts Receivable | CURRENT | DEBTORS -> ASSET ACCOUNTS_RECEIVABLE
Prepayments | CURRENT -> ASSET PREPAYMENT
Inventory | CURRENT -> ASSET INVENTORY
Office Equipment | FIXED -> ASSET FIXED_ASSET EQUIPMENT
Less Accumulated Depreciation on Office Equipment | FIXED -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Computer Equipment | FIXED -> ASSET FIXED_ASSET EQUIPMENT
Less Accumulated Depreciation on Computer Equipment | FIXED -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Motor Vehicles | FIXED -> ASSET FIXED_ASSET VEHICLES
Goodwill | NONCURRENT -> ASSET OTHER_ASSET GOODWILL
Accounts Payable | CURRLIAB | CREDITORS -> LIABILITY ACCOUNTS_PAYABLE
Accruals | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY
Unpaid Expense Claims | CURRLIAB | UNPAIDEXPCLM -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Wages Payable | CURRLIAB | WAGEPAYABLES -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Wages Payable - Payroll | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Sales Tax | CURRLIAB | GST -> LIABILITY TAX_LIABILITY SALES_TAX
PST Payable | CURRLIAB -> LIABILITY TAX_LIABILITY SALES_TAX
Employee Tax Payable | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Employee Benefits Payable | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Employee Deductions Payable | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Income Tax Payable | CURRLIAB -> LIABILITY TAX_LIABILITY INCOME_TAX
Revenue Received in Advance | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY DEFERRED_REVENUE
Clearing Account | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY
Suspense | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY SUSPENSE
Historical Adjustment | CURRLIAB | HISTORICAL -> LIABILITY OTHER_CURRENT_LIABILITY SUSPENSE
Rounding | CURRLIAB | ROUNDING -> LIABILITY OTHER_CURRENT_LIABILITY ROUNDING
Tracking Transfers | CURRLIAB | TRACKINGTRANSFERS -> LIABILITY OTHER_CURRENT_LIABILITY SUSPENSE
Loan | TERMLIAB -> LIABILITY LONG_TERM_LIABILITY LOAN
Shareholder Loans | TERMLIAB -> LIABILITY LONG_TERM_LIABILITY SHAREHOLDER_LOAN
Owner's Contribution | EQUITY -> EQUITY EQUITY OWNERS_EQUITY
Owner's Draw | EQUITY -> EQUITY EQUITY OWNERS_EQUITY
Common Stock | EQUITY -> EQUITY EQUITY SHARE_CAPITAL
Dividends | EQUITY -> EQUITY EQUITY DIVIDENDS
Retained Earnings | EQUITY | RETAINEDEARNINGS -> EQUITY RETAINED_EARNINGS
Sales | REVENUE -> INCOME INCOME SALES
Interest Income | REVENUE -> INCOME OTHER_INCOME INTEREST_INCOME
Other Revenue | REVENUE -> INCOME INCOME
Sales Discount | REVENUE -> INCOME INCOME DISCOUNTS
Purchases | DIRECTCOSTS -> EXPENSE COST_OF_GOODS_SOLD
Cost of Goods Sold | DIRECTCOSTS -> EXPENSE COST_OF_GOODS_SOLD
Advertising | EXPENSE -> EXPENSE EXPENSE MARKETING
Bank Service Charges | EXPENSE -> EXPENSE EXPENSE BANK_FEES
Bank Fees | EXPENSE -> EXPENSE EXPENSE BANK_FEES
Janitorial Expenses | EXPENSE -> EXPENSE EXPENSE
Consulting & Accounting | EXPENSE -> EXPENSE EXPENSE PROFESSIONAL_FEES
Entertainment | EXPENSE -> EXPENSE EXPENSE
Postage & Delivery | EXPENSE -> EXPENSE EXPENSE
General Expenses | EXPENSE -> EXPENSE EXPENSE
Insurance | EXPENSE -> EXPENSE EXPENSE INSURANCE
Interest Expense | EXPENSE -> EXPENSE EXPENSE INTEREST_EXPENSE
Legal Expenses | EXPENSE -> EXPENSE EXPENSE PROFESSIONAL_FEES
Utilities | EXPENSE -> EXPENSE EXPENSE UTILITIES
Light, Power, Heating | OVERHEADS -> EXPENSE EXPENSE UTILITIES
Automobile Expenses | EXPENSE -> EXPENSE EXPENSE
Office Expenses | EXPENSE -> EXPENSE EXPENSE
Printing & Stationery | EXPENSE -> EXPENSE EXPENSE
Rent | OVERHEADS -> EXPENSE EXPENSE RENT
Repairs and Maintenance | EXPENSE -> EXPENSE EXPENSE
Wages and Salaries | EXPENSE -> EXPENSE EXPENSE PAYROLL
Payroll Tax Expense | EXPENSE -> EXPENSE EXPENSE PAYROLL
Employee Benefits | EXPENSE -> EXPENSE EXPENSE PAYROLL
Dues & Subscriptions | EXPENSE -> EXPENSE EXPENSE
Telephone & Internet | EXPENSE -> EXPENSE EXPENSE
Travel - National | EXPENSE -> EXPENSE EXPENSE TRAVEL
Travel - International | EXPENSE -> EXPENSE EXPENSE TRAVEL
Meals | EXPENSE -> EXPENSE EXPENSE MEALS
Bad Debts | EXPENSE -> EXPENSE EXPENSE BAD_DEBT
Depreciation | EXPENSE -> EXPENSE DEPRECIATION
Amortization | DEPRECIATN -> EXPENSE DEPRECIATION
Income Tax Expense | EXPENSE -> EXPENSE EXPENSE TAX_EXPENSE
Bank Revaluations | EXPENSE | BANKCURRENCYGAIN -> EXPENSE EXPENSE FX_GAIN_LOSS
Unrealized Currency Gains | EXPENSE | UNREALISEDCURRENCYGAIN -> EXPENSE EXPENSE FX_GAIN_LOSS
Realized Currency Gains | EXPENSE | REALISEDCURRENCYGAIN -> EXPENSE EXPENSE FX_GAIN_LOSS
`

/** Names from Québec, and names with a misleading word: these yield no type rather than a wrong one. */
const NAMES = `
Loyer du local, rue Saint-Denis | EXPENSE -> EXPENSE EXPENSE RENT
Assurances | EXPENSE -> EXPENSE EXPENSE INSURANCE
Assurance-emploi, part de l’employeur | EXPENSE -> EXPENSE EXPENSE PAYROLL
Honoraires comptables | EXPENSE -> EXPENSE EXPENSE PROFESSIONAL_FEES
Frais de déplacement | EXPENSE -> EXPENSE EXPENSE TRAVEL
Repas et représentation | EXPENSE -> EXPENSE EXPENSE MEALS
Publicité | EXPENSE -> EXPENSE EXPENSE MARKETING
Salaires | EXPENSE -> EXPENSE EXPENSE PAYROLL
Électricité et chauffage | EXPENSE -> EXPENSE EXPENSE UTILITIES
Frais bancaires | EXPENSE -> EXPENSE EXPENSE BANK_FEES
Intérêts sur emprunts | EXPENSE -> EXPENSE EXPENSE INTEREST_EXPENSE
Amortissement du matériel | EXPENSE -> EXPENSE DEPRECIATION
Mauvaises créances | EXPENSE -> EXPENSE EXPENSE BAD_DEBT
TPS et TVQ à payer | CURRLIAB -> LIABILITY TAX_LIABILITY SALES_TAX
Retenues à la source à payer | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Impôts à payer | CURRLIAB -> LIABILITY TAX_LIABILITY INCOME_TAX
Marge de crédit | CURRLIAB -> LIABILITY OTHER_CURRENT_LIABILITY LINE_OF_CREDIT
Dû à un actionnaire | TERMLIAB -> LIABILITY LONG_TERM_LIABILITY SHAREHOLDER_LOAN
Hypothèque | TERMLIAB -> LIABILITY LONG_TERM_LIABILITY LOAN
Amortissement cumulé, mobilier | FIXED -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Frais payés d’avance | CURRENT -> ASSET PREPAYMENT
Bénéfices non répartis | EQUITY -> EQUITY RETAINED_EARNINGS
Actions ordinaires | EQUITY -> EQUITY EQUITY SHARE_CAPITAL
Travel and meals | EXPENSE -> EXPENSE EXPENSE
Insurance and rent | EXPENSE -> EXPENSE EXPENSE
Accounting software | EXPENSE -> EXPENSE EXPENSE
Current rental income | EXPENSE -> EXPENSE EXPENSE
Sales commissions | EXPENSE -> EXPENSE EXPENSE
Parent company charges | EXPENSE -> EXPENSE EXPENSE
Insurance claims pending | CURRENT -> ASSET OTHER_CURRENT_ASSET
Landscaping equipment | FIXED -> ASSET FIXED_ASSET EQUIPMENT
Chile office | EXPENSE -> EXPENSE EXPENSE
`

function toWire([Name = '', Type = '', SystemAccount = '']: readonly string[], index: number): unknown {
  return { Account: { AccountID: `account-${index}`, Name, Type, Status: 'ACTIVE', SystemAccount }, Organisation: { BaseCurrency: 'USD' } }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(NORTH_AMERICA, toWire),
      floors: { accounts: 74, class: 74, type: 74, subType: 51, unknownWords: 0 },
    },
    {
      name: 'names, Québec and double meanings',
      read: () => accountsOf(NAMES, toWire),
      floors: { accounts: 32, class: 32, type: 32, subType: 21, unknownWords: 0 },
    },
  ],
}
