import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://docs.mambu.com/api/api-v2 (deposits, loans, loans/schedule, deposits/transactions, loans/transactions)
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Currency = optional(Type.Object({ code: optional(Text), currencyCode: optional(Text) }))
const Rate = Type.Object({ interestRate: optional(Amount), interestChargeFrequency: optional(Text) })

const Deposit = Type.Object({
  encodedKey: Text,
  id: optional(Text),
  name: optional(Text),
  accountType: optional(Text),
  accountState: optional(Text),
  currencyCode: optional(Text),
  maturityDate: optional(Text),
  lastModifiedDate: optional(Text),
  balances: optional(Type.Object({ totalBalance: optional(Amount) })),
  interestSettings: optional(Type.Object({ interestRateSettings: optional(Rate) })),
  overdraftSettings: optional(Type.Object({ allowOverdraft: optional(Type.Boolean()), overdraftLimit: optional(Amount) })),
})

const Loan = Type.Object({
  encodedKey: Text,
  id: optional(Text),
  loanName: optional(Text),
  accountState: optional(Text),
  loanAmount: optional(Amount),
  currency: Currency,
  lastModifiedDate: optional(Text),
  balances: optional(
    Type.Object({
      principalBalance: optional(Amount),
      interestBalance: optional(Amount),
      feesBalance: optional(Amount),
      penaltyBalance: optional(Amount),
      principalDue: optional(Amount),
      interestDue: optional(Amount),
      feesDue: optional(Amount),
      penaltyDue: optional(Amount),
    }),
  ),
  interestSettings: optional(Rate),
  /** Revolving credits only. */
  principalPaymentSettings: optional(Type.Object({})),
})

const Schedule = Type.Object({
  currency: Currency,
  installments: optional(Type.Array(Type.Object({ dueDate: optional(Text), state: optional(Text) }))),
})

/** Account with its tenant and, for a loan, its schedule. */
export const MambuAccount = Type.Object({
  tenant: Text,
  /** Organization's own currency, for records without one. */
  home: optional(Text),
  deposit: optional(Deposit),
  loan: optional(Loan),
  schedule: optional(Schedule),
})
export type MambuAccount = Static<typeof MambuAccount>

export const MambuTransaction = Type.Object({
  /** `deposit` or `loan`. */
  of: Text,
  account: Text,
  /** Currency of the account, else of the organization; a loan transaction does not always have one. */
  accountCurrency: optional(Text),
  row: Type.Object({
    encodedKey: Text,
    type: Text,
    amount: Amount,
    currencyCode: optional(Text),
    currency: Currency,
    bookingDate: optional(Text),
    valueDate: Text,
    notes: optional(Text),
    accountBalances: optional(Type.Object({ totalBalance: optional(Amount) })),
    cardTransaction: optional(Type.Object({ cardAcceptor: optional(Type.Object({ name: optional(Text) })) })),
  }),
})
export type MambuTransaction = Static<typeof MambuTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = AnyList
export const ScheduleAnswer = Type.Object({ installments: optional(AnyList) })
export const HolderAnswer = Type.Object({
  encodedKey: Text,
  firstName: optional(Text),
  lastName: optional(Text),
  groupName: optional(Text),
})
