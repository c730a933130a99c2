/** Version of the enum values below; a change of meaning raises it. */
export const BANKING_TAXONOMY_VERSION = 1

/** Bank account types and, per type, code → display name. An unknown kind maps to the type's Other… code. */
export const BANK_ACCOUNT_TAXONOMY = {
  Cash: {
    Checking: 'Checking',
    Savings: 'Savings',
    Cd: 'Certificate of Deposit',
    Ppf: 'Public Provident Fund',
    RecurringDeposit: 'Recurring Deposit',
    Fsa: 'Flexible Spending',
    Mmda: 'Money Market Deposit',
    Commuter: 'Commuter',
    Hsa: 'Health Savings',
    PayPal: 'PayPal Depository',
    CashManagement: 'Cash Management',
    BusinessAccount: 'Business Account',
    PrepaidDebitCard: 'Prepaid Debit Card',
    Ebt: 'Electronic Benefit Transfer',
    OtherCash: 'Other Cash',
  },
  CreditCards: {
    CreditCard: 'Credit Card',
    StoreCard: 'Store Card',
    ChargeCard: 'Charge Card',
    BusinessCard: 'Business Card',
    RewardPoints: 'Reward Points',
    PayPalCard: 'PayPal Card',
    OtherCard: 'Other Card',
  },
  Loans: {
    Mortgage: 'Mortgage',
    Installment: 'Installment',
    PersonalLoan: 'Personal Loan',
    Heloc: 'Home Equity Line of Credit',
    LineOfCredit: 'Line of Credit',
    AutoLoan: 'Auto Loan',
    StudentLoan: 'Student Loan',
    HomeLoan: 'Home Loan',
    BusinessLoan: 'Business Loan',
    CommercialLoan: 'Commercial Loan',
    ConstructionLoan: 'Construction Loan',
    ConsumerLoan: 'Consumer Loan',
    HomeEquityLoan: 'Home Equity Loan',
    Overdraft: 'Overdraft',
    MilitaryLoan: 'Military Loan',
    OtherLoan: 'Other Loan',
  },
  Investments: {
    Brokerage: 'Brokerage',
    Retirement: 'Retirement',
    RegisteredPlan: 'Registered Plan',
    EducationSavings: 'Education Savings',
    Pension: 'Pension',
    MutualFund: 'Mutual Fund',
    EmployeeStockPlan: 'Employee Stock Plan',
    Trust: 'Trust',
    Annuity: 'Annuity',
    DigitalAsset: 'Digital Asset',
    OtherInvestment: 'Other Investment',
  },
  Insurance: {
    LifeInsurance: 'Life Insurance',
    HealthInsurance: 'Health Insurance',
    HomeInsurance: 'Home Insurance',
    AutoInsurance: 'Auto Insurance',
    OtherInsurance: 'Other Insurance',
  },
  Other: {
    Bill: 'Bill',
    RealEstate: 'Real Estate',
    Payroll: 'Payroll',
    OtherAsset: 'Other Asset',
    OtherLiability: 'Other Liability',
    Unknown: 'Unknown',
  },
} as const

type Taxonomy = typeof BANK_ACCOUNT_TAXONOMY
type BankAccountType = keyof Taxonomy

/**
 * Bank account type with one of its codes, e.g. `{ type: 'Loans', subType: 'OtherLoan' }`; other pairs do not compile.
 */
export type BankAccountKind = { [T in BankAccountType]: { type: T; subType: keyof Taxonomy[T] & string } }[BankAccountType]

export function kindDisplayName(kind: BankAccountKind): string {
  const names: Record<string, string> = BANK_ACCOUNT_TAXONOMY[kind.type]
  return names[kind.subType] ?? ''
}

export const BANK_ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'TO_BE_CLOSED', 'CLOSED', 'DELETED'] as const
