import type { Routine } from './routine.ts'

/** Chart of a building contractor in Ohio, mostly without account numbers; the format is in chart.ts. */
export const BUCKEYE_CHART = `
- | Petty Cash | Bank | CashOnHand
- | Huntington Operating Checking | Bank | Checking | about: Main account for draws and vendor checks
- | > Payroll sweep | Bank | Checking
- | > Job deposits | Bank | Checking
- | Huntington Reserve Savings | Bank | Savings
- | Canadian supplier account | Bank | Checking | CAD
- | Client escrow | Bank | TrustAccounts
- | Old Fifth Third checking | Bank | Checking | inactive
- | Accounts Receivable (A/R) | Accounts Receivable | AccountsReceivable
- | Retainage receivable | Other Current Asset | Retainage
- | Undeposited Funds | Other Current Asset | UndepositedFunds
- | Prepaid insurance | Other Current Asset | PrepaidExpenses
- | Lumber inventory | Other Current Asset | Inventory
- | Loan to officer | Other Current Asset | LoansToOfficers
- | Treasury bills | Other Current Asset | Investment_USGovernmentObligations
- | Uncategorized Asset | Other Current Asset | OtherCurrentAssets
- | Allowance for doubtful accounts | Other Current Asset | AllowanceForBadDebts
- | Trucks | Fixed Asset | Vehicles
- | > 2021 Ford F-350 | Fixed Asset | Vehicles
- | > 2024 Ram 3500 | Fixed Asset | Vehicles
- | Excavators and lifts | Fixed Asset | MachineryAndEquipment
- | Shop building | Fixed Asset | Buildings
- | Land – Olentangy yard | Fixed Asset | Land
- | Computers | Fixed Asset | FixedAssetComputers
- | Estimating software | Fixed Asset | FixedAssetSoftware
- | Accumulated depreciation | Fixed Asset | AccumulatedDepreciation
- | Security deposits | Other Asset | SecurityDeposits
- | Long-term investments | Other Asset | LongTermInvestments
- | Accounts Payable (A/P) | Accounts Payable | AccountsPayable
- | Chase Ink Business | Credit Card | CreditCard
- | Home Depot Commercial | Credit Card | CreditCard
- | > Card of crew 2 | Credit Card | CreditCard | fresh
- | Ohio Department of Taxation Payable | Other Current Liability | SalesTaxPayable
- | Federal income tax payable | Other Current Liability | FederalIncomeTaxPayable
- | Payroll tax payable | Other Current Liability | PayrollTaxPayable
- | Direct Deposit Payable | Other Current Liability | DirectDepositPayable
- | Huntington line of credit | Other Current Liability | LineOfCredit
- | Customer deposits | Other Current Liability | OtherCurrentLiabilities
- | Billings in excess of costs | Other Current Liability | OverbillingLiability | about: Opened by the job costing add-on
- | Equipment loan, current part | Other Current Liability | LoanPayable
- | Truck notes | Long Term Liability | NotesPayable
- | > F-350 note | Long Term Liability | NotesPayable
- | > Ram 3500 note | Long Term Liability | NotesPayable
- | SBA loan | Long Term Liability | OtherLongTermLiabilities
- | Note to Dale Weaver | Long Term Liability | ShareholderNotesPayable
- | Opening Balance Equity | Equity | OpeningBalanceEquity
- | Retained Earnings | Equity | RetainedEarnings
- | Owner’s contributions | Equity | OwnersEquity
- | Owner’s draws | Equity | PartnerDistributions
- | Treasury stock | Equity | TreasuryStock
4000 | Contract income | Income | SalesOfProductIncome
4010 | > Residential | Income | SalesOfProductIncome
4020 | > Commercial | Income | SalesOfProductIncome
4100 | Design fees | Income | ServiceFeeIncome
4900 | Discounts given | Income | DiscountsRefundsGiven
- | Interest earned | Other Income | InterestEarned
- | Gain on sale of equipment | Other Income | OtherMiscellaneousIncome
- | Job materials | Cost of Goods Sold | SuppliesMaterialsCogs
- | Subcontractors | Cost of Goods Sold | CostOfLaborCos
- | Equipment rental for jobs | Cost of Goods Sold | EquipmentRentalCos
- | Permits and dump fees | Cost of Goods Sold | OtherCostsOfServiceCos
- | Advertising | Expense | AdvertisingPromotional
- | Bank charges | Expense | BankCharges
- | Dues and subscriptions | Expense | DuesSubscriptions
- | Fuel | Expense | Auto
- | Insurance | Expense | Insurance
- | > General liability | Expense | Insurance
- | > Workers’ compensation | Expense | Insurance
- | Interest paid | Expense | InterestPaid
- | Legal and professional fees | Expense | LegalProfessionalFees
- | Meals | Expense | PromotionalMeals
- | Office rent | Expense | RentOrLeaseOfBuildings
- | Office wages | Expense | PayrollWageExpenses
- | Payroll taxes | Expense | TaxesPaid
- | Repairs and maintenance | Expense | RepairMaintenance
- | Travel | Expense | Travel
- | Utilities | Expense | Utilities
- | Bad debts | Expense | BadDebts | inactive
- | Depreciation | Other Expense | Depreciation
- | Penalties and settlements | Other Expense | PenaltiesSettlements
`

export const BUCKEYE_ROUTINES: readonly Routine[] = [
  {
    note: 'Monthly depreciation',
    lines: [
      { account: 'Depreciation', side: 'Debit' },
      { account: 'Accumulated depreciation', side: 'Credit' },
    ],
  },
  {
    note: 'Office payroll',
    lines: [
      { account: 'Office wages', side: 'Debit' },
      { account: 'Payroll tax payable', side: 'Credit' },
      { account: 'Payroll sweep', side: 'Credit' },
    ],
  },
  {
    note: 'Insurance used this month',
    lines: [
      { account: 'Insurance', side: 'Debit' },
      { account: 'Prepaid insurance', side: 'Credit' },
    ],
  },
  {
    note: 'Accrued interest on truck notes',
    lines: [
      { account: 'Interest paid', side: 'Debit' },
      { account: 'F-350 note', side: 'Credit', entity: { type: 'Vendor', id: '18', name: 'Ford Credit' } },
      { account: 'Ram 3500 note', side: 'Credit', entity: { type: 'Vendor', id: '22', name: 'Chrysler Capital' } },
    ],
  },
]
