import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/apache/fineract (fineract-provider, *ApiResourceSwagger.java)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
/** `[2026, 11, 20]`; a text `2026-11-20` where a server is configured so. */
const DayWire = Type.Union([Type.Array(Type.Integer()), Text])
export type DayWire = Static<typeof DayWire>
/** Enum value with its number and its code, `loanStatusType.active`. */
const Word = optional(Type.Object({ id: optional(Amount), code: optional(Text), value: optional(Text) }))
const Currency = optional(Type.Object({ code: optional(Text) }))

const Client = Type.Object({ officeName: optional(Text), legalForm: Word })

const Period = Type.Object({
  period: optional(Amount),
  dueDate: optional(DayWire),
  complete: optional(Type.Boolean()),
  totalOutstandingForPeriod: optional(Amount),
})

const Loan = Type.Object({
  accountNo: optional(Text),
  loanProductName: optional(Text),
  status: Word,
  principal: optional(Amount),
  annualInterestRate: optional(Amount),
  currency: Currency,
  totalOverpaid: optional(Amount),
  timeline: optional(Type.Object({ expectedMaturityDate: optional(DayWire) })),
  summary: optional(
    Type.Object({
      principalOutstanding: optional(Amount),
      interestOverdue: optional(Amount),
      feeChargesOverdue: optional(Amount),
      penaltyChargesOutstanding: optional(Amount),
      penaltyChargesOverdue: optional(Amount),
      totalOutstanding: optional(Amount),
      totalOverdue: optional(Amount),
    }),
  ),
  repaymentSchedule: optional(Type.Object({ periods: optional(Type.Array(Period)) })),
  delinquent: optional(Type.Object({ nextPaymentDueDate: optional(DayWire), nextPaymentAmount: optional(Amount) })),
})

/** Savings, fixed and recurring deposits. */
const Deposit = Type.Object({
  accountNo: optional(Text),
  savingsProductName: optional(Text),
  depositProductName: optional(Text),
  status: Word,
  subStatus: Word,
  depositType: Word,
  currency: Currency,
  nominalAnnualInterestRate: optional(Amount),
  allowOverdraft: optional(Type.Boolean()),
  overdraftLimit: optional(Amount),
  maturityAmount: optional(Amount),
  maturityDate: optional(DayWire),
  summary: optional(Type.Object({ accountBalance: optional(Amount), availableBalance: optional(Amount) })),
})

/** Account with the client that owns it. */
export const FineractAccount = Type.Object({
  id: Text,
  /** Resource of its details, `fixeddepositaccounts`, as derived from the overview. */
  resource: optional(Text),
  client: Client,
  loan: optional(Loan),
  deposit: optional(Deposit),
})
export type FineractAccount = Static<typeof FineractAccount>

const SavingsMovement = Type.Object({
  transactionType: Type.Object({ id: optional(Amount), code: Text, value: optional(Text) }),
  /** CREDIT or DEBIT; absent on servers before 1.8. */
  entryType: optional(Type.Union([Text, Type.Object({ value: optional(Text), code: optional(Text) })])),
  date: DayWire,
  submittedOnDate: optional(DayWire),
  amount: Amount,
  currency: Currency,
  runningBalance: optional(Amount),
  note: optional(Text),
})

const LoanMovement = Type.Object({
  type: Type.Object({ id: optional(Amount), code: Text, value: optional(Text) }),
  date: DayWire,
  submittedOnDate: optional(DayWire),
  amount: Amount,
  currency: Currency,
  outstandingLoanBalance: optional(Amount),
  note: optional(Text),
})

export const FineractTransaction = Type.Object({
  id: Text,
  account: Text,
  savings: optional(SavingsMovement),
  loan: optional(LoanMovement),
})
export type FineractTransaction = Static<typeof FineractTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ClientAnswer = Type.Object({ id: Type.Integer(), displayName: optional(Text), activationDate: optional(DayWire) })
export const AccountsAnswer = Type.Object({
  loanAccounts: optional(AnyList),
  savingsAccounts: optional(AnyList),
})
export const RecordAnswer = Type.Object({ id: Type.Union([Type.Integer(), Text]) })
export const DetailsAnswer = Type.Object({ transactions: optional(AnyList) })
export const SearchAnswer = Type.Union([
  Type.Object({ total: Type.Integer(), content: AnyList }),
  Type.Object({ totalFilteredRecords: Type.Integer(), pageItems: AnyList }),
])
export const TokenAnswer = Type.Object({ access_token: Text, expires_in: optional(Type.Number()) })
