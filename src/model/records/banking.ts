import type { Decimal } from '../values/decimal.ts'

/** Version of the words below; a change of meaning raises it. */
export const BANKING_TAXONOMY_VERSION = 1

/** Groups of bank accounts and, per group, code → display name. An unlisted kind falls into the group's Other… code. */
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

/** A group with one of its codes, e.g. `{ type: 'Loans', subType: 'OtherLoan' }`; other pairs do not compile. */
export type BankAccountKind = { [T in BankAccountType]: { type: T; subType: keyof Taxonomy[T] & string } }[BankAccountType]

export function kindDisplayName(kind: BankAccountKind): string {
  const names: Record<string, string> = BANK_ACCOUNT_TAXONOMY[kind.type]
  return names[kind.subType] ?? ''
}

export const BANK_ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'TO_BE_CLOSED', 'CLOSED', 'DELETED'] as const
type BankAccountStatus = (typeof BANK_ACCOUNT_STATUSES)[number]

/**
 * One account at a bank. What the source does not say is `null` (never 0). Amounts are in `currency`; an asset is negative when
 * overdrawn, a liability positive when owed. Timestamps are ISO 8601 with offset. Rates are percent: 7.25 means 7.25 %.
 */
export interface BankAccount {
  origId: string
  providerName: string
  accountName: string
  /** Masked: `••••1234`. The full number never leaves the connector. */
  accountNumber: string
  accountStatusSystem: BankAccountStatus
  userAccountClassification: 'BUSINESS' | 'PERSONAL' | null
  kind: BankAccountKind
  interestRate: Decimal | null
  availableCredit: Decimal | null
  dueDate: string | null
  maturityAmount: Decimal | null
  maturityDate: string | null
  minimumAmountDue: Decimal | null
  totalCreditLine: Decimal | null
  originalLoanAmount: Decimal | null
  lender: string | null
  amountDue: Decimal | null
  principalBalance: Decimal | null
  currency: string
  actualBalance: Decimal | null
  actualBalanceDate: string | null
  sourceUpdatedDate: string | null
}

/** One movement on a bank account. `amount` is positive when money comes in to the account holder, negative when it goes out. */
export interface BankTransaction {
  origId: string
  /** `origId` of the account. */
  accountOrigId: string
  /** Calendar day `YYYY-MM-DD` on which the bank booked it; null while pending. */
  postedOn: string | null
  /** Calendar day of the transaction itself, where the source tells it apart. */
  transactionOn: string | null
  amount: Decimal
  currency: string
  description: string
  counterparty: string
  /** The source's own category word; empty when none. */
  category: string
  isPending: boolean
  runningBalance: Decimal | null
}
