import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://github.com/apache/fineract (fineract-provider, *ApiResourceSwagger.java)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
/** `[2026, 11, 20]`; a text `2026-11-20` where a server is configured so. */
const DayWire = Type.Union([Type.Array(Type.Integer()), Text])
export type DayWire = Static<typeof DayWire>
/** Enum value with its number and its code, `loanStatusType.active`. */
const Word = maybe(Type.Object({ id: maybe(Amount), code: maybe(Text), value: maybe(Text) }))
const Currency = maybe(Type.Object({ code: maybe(Text) }))

const Client = Type.Object({ officeName: maybe(Text), legalForm: Word })

const Period = Type.Object({
  period: maybe(Amount),
  dueDate: maybe(DayWire),
  complete: maybe(Type.Boolean()),
  totalOutstandingForPeriod: maybe(Amount),
})

const Loan = Type.Object({
  accountNo: maybe(Text),
  loanProductName: maybe(Text),
  status: Word,
  principal: maybe(Amount),
  annualInterestRate: maybe(Amount),
  currency: Currency,
  totalOverpaid: maybe(Amount),
  timeline: maybe(Type.Object({ expectedMaturityDate: maybe(DayWire) })),
  summary: maybe(
    Type.Object({
      principalOutstanding: maybe(Amount),
      interestOverdue: maybe(Amount),
      feeChargesOverdue: maybe(Amount),
      penaltyChargesOutstanding: maybe(Amount),
      penaltyChargesOverdue: maybe(Amount),
      totalOutstanding: maybe(Amount),
      totalOverdue: maybe(Amount),
    }),
  ),
  repaymentSchedule: maybe(Type.Object({ periods: maybe(Type.Array(Period)) })),
  delinquent: maybe(Type.Object({ nextPaymentDueDate: maybe(DayWire), nextPaymentAmount: maybe(Amount) })),
})

/** Savings, fixed and recurring deposits. */
const Deposit = Type.Object({
  accountNo: maybe(Text),
  savingsProductName: maybe(Text),
  depositProductName: maybe(Text),
  status: Word,
  subStatus: Word,
  depositType: Word,
  currency: Currency,
  nominalAnnualInterestRate: maybe(Amount),
  allowOverdraft: maybe(Type.Boolean()),
  overdraftLimit: maybe(Amount),
  maturityAmount: maybe(Amount),
  maturityDate: maybe(DayWire),
  summary: maybe(Type.Object({ accountBalance: maybe(Amount), availableBalance: maybe(Amount) })),
})

/** Account with the client that owns it. */
export const FineractAccount = Type.Object({
  id: Text,
  /** Resource of its details, `fixeddepositaccounts`, as derived from the overview. */
  resource: maybe(Text),
  client: Client,
  loan: maybe(Loan),
  deposit: maybe(Deposit),
})
export type FineractAccount = Static<typeof FineractAccount>

const SavingsMovement = Type.Object({
  transactionType: Type.Object({ id: maybe(Amount), code: Text, value: maybe(Text) }),
  /** CREDIT or DEBIT; absent on servers before 1.8. */
  entryType: maybe(Type.Union([Text, Type.Object({ value: maybe(Text), code: maybe(Text) })])),
  date: DayWire,
  submittedOnDate: maybe(DayWire),
  amount: Amount,
  currency: Currency,
  runningBalance: maybe(Amount),
  note: maybe(Text),
})

const LoanMovement = Type.Object({
  type: Type.Object({ id: maybe(Amount), code: Text, value: maybe(Text) }),
  date: DayWire,
  submittedOnDate: maybe(DayWire),
  amount: Amount,
  currency: Currency,
  outstandingLoanBalance: maybe(Amount),
  note: maybe(Text),
})

export const FineractTransaction = Type.Object({
  id: Text,
  account: Text,
  savings: maybe(SavingsMovement),
  loan: maybe(LoanMovement),
})
export type FineractTransaction = Static<typeof FineractTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ClientAnswer = Type.Object({ id: Type.Integer(), displayName: maybe(Text), activationDate: maybe(DayWire) })
export const AccountsAnswer = Type.Object({
  loanAccounts: maybe(Type.Array(Type.Unknown())),
  savingsAccounts: maybe(Type.Array(Type.Unknown())),
})
export const RecordAnswer = Type.Object({ id: Type.Union([Type.Integer(), Text]) })
export const DetailsAnswer = Type.Object({ transactions: maybe(Type.Array(Type.Unknown())) })
export const SearchAnswer = Type.Union([
  Type.Object({ total: Type.Integer(), content: Type.Array(Type.Unknown()) }),
  Type.Object({ totalFilteredRecords: Type.Integer(), pageItems: Type.Array(Type.Unknown()) }),
])
export const TokenAnswer = Type.Object({ access_token: Text, expires_in: maybe(Type.Number()) })
