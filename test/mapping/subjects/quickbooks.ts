import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/**
 * A new company in the United States or Canada: name | AccountType | AccountSubType, as created by QuickBooks for
 * services and retail.
 */
const NORTH_AMERICA = `
Chequing | Bank | Checking -> ASSET BANK CHECKING
Savings | Bank | Savings -> ASSET BANK SAVINGS
Petty Cash | Bank | CashOnHand -> ASSET BANK CASH
Accounts Receivable (A/R) | Accounts Receivable | AccountsReceivable -> ASSET ACCOUNTS_RECEIVABLE
Inventory Asset | Other Current Asset | Inventory -> ASSET INVENTORY
Prepaid Expenses | Other Current Asset | PrepaidExpenses -> ASSET PREPAYMENT
Undeposited Funds | Other Current Asset | UndepositedFunds -> ASSET OTHER_CURRENT_ASSET UNDEPOSITED_FUNDS
Uncategorized Asset | Other Current Asset | OtherCurrentAssets -> ASSET OTHER_CURRENT_ASSET
Truck:Original Cost | Fixed Asset | Vehicles -> ASSET FIXED_ASSET VEHICLES
Truck:Depreciation | Fixed Asset | AccumulatedDepreciation -> ASSET FIXED_ASSET ACCUMULATED_DEPRECIATION
Furniture | Fixed Asset | FurnitureAndFixtures -> ASSET FIXED_ASSET EQUIPMENT
Security deposit | Other Asset | SecurityDeposits -> ASSET OTHER_ASSET SECURITY_DEPOSIT
Accounts Payable (A/P) | Accounts Payable | AccountsPayable -> LIABILITY ACCOUNTS_PAYABLE
Visa | Credit Card | CreditCard -> LIABILITY CREDIT_CARD
GST/HST Payable | Other Current Liability | GlobalTaxPayable -> LIABILITY TAX_LIABILITY SALES_TAX
GST/HST Suspense | Other Current Liability | GlobalTaxSuspense -> LIABILITY TAX_LIABILITY SALES_TAX
Payroll Liabilities | Other Current Liability | PayrollTaxPayable -> LIABILITY OTHER_CURRENT_LIABILITY PAYROLL_LIABILITY
Loan Payable | Other Current Liability | LoanPayable -> LIABILITY OTHER_CURRENT_LIABILITY LOAN
Notes Payable | Long Term Liability | NotesPayable -> LIABILITY LONG_TERM_LIABILITY LOAN
Opening Balance Equity | Equity | OpeningBalanceEquity -> EQUITY EQUITY OPENING_BALANCE_EQUITY
Retained Earnings | Equity | RetainedEarnings -> EQUITY RETAINED_EARNINGS
Common shares | Equity | CommonStock -> EQUITY EQUITY SHARE_CAPITAL
Owner's draw | Equity | OwnersEquity -> EQUITY EQUITY OWNERS_EQUITY
Sales of Product Income | Income | SalesOfProductIncome -> INCOME INCOME SALES
Services | Income | ServiceFeeIncome -> INCOME INCOME SERVICES
Discounts given | Income | DiscountsRefundsGiven -> INCOME INCOME DISCOUNTS
Billable Expense Income | Income | OtherPrimaryIncome -> INCOME INCOME
Interest Earned | Other Income | InterestEarned -> INCOME OTHER_INCOME INTEREST_INCOME
Cost of Goods Sold | Cost of Goods Sold | SuppliesMaterialsCogs -> EXPENSE COST_OF_GOODS_SOLD
Advertising | Expense | AdvertisingPromotional -> EXPENSE EXPENSE MARKETING
Bank Charges | Expense | BankCharges -> EXPENSE EXPENSE BANK_FEES
Insurance | Expense | Insurance -> EXPENSE EXPENSE INSURANCE
Interest Paid | Expense | InterestPaid -> EXPENSE EXPENSE INTEREST_EXPENSE
Legal & Professional Fees | Expense | LegalProfessionalFees -> EXPENSE EXPENSE PROFESSIONAL_FEES
Meals and Entertainment | Expense | EntertainmentMeals -> EXPENSE EXPENSE MEALS
Office Expenses | Expense | OfficeGeneralAdministrativeExpenses -> EXPENSE EXPENSE
Payroll Expenses | Expense | PayrollExpenses -> EXPENSE EXPENSE PAYROLL
Rent or Lease | Expense | RentOrLeaseOfBuildings -> EXPENSE EXPENSE RENT
Repair & Maintenance | Expense | RepairMaintenance -> EXPENSE EXPENSE
Taxes & Licenses | Expense | TaxesPaid -> EXPENSE EXPENSE TAX_EXPENSE
Travel | Expense | Travel -> EXPENSE EXPENSE TRAVEL
Utilities | Expense | Utilities -> EXPENSE EXPENSE UTILITIES
Bad debts | Expense | BadDebts -> EXPENSE EXPENSE BAD_DEBT
Depreciation | Other Expense | Depreciation -> EXPENSE DEPRECIATION
Exchange Gain or Loss | Other Expense | ExchangeGainOrLoss -> EXPENSE OTHER_EXPENSE FX_GAIN_LOSS
`

function toWire([Name = '', AccountType = '', AccountSubType = '']: readonly string[], index: number): unknown {
  return { Id: String(index), Name, AccountType, AccountSubType, Active: true }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'default, United States and Canada',
      read: () => accountsOf(NORTH_AMERICA, toWire),
      floors: { accounts: 45, class: 45, type: 45, subType: 33, unknownWords: 0 },
    },
  ],
}
