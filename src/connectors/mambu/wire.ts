import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: https://docs.mambu.com/api/api-v2 (deposits, loans, loans/schedule, deposits/transactions, loans/transactions)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Currency = maybe(Type.Object({ code: maybe(Text), currencyCode: maybe(Text) }))
const Rate = Type.Object({ interestRate: maybe(Amount), interestChargeFrequency: maybe(Text) })

const Deposit = Type.Object({
  encodedKey: Text,
  id: maybe(Text),
  name: maybe(Text),
  accountType: maybe(Text),
  accountState: maybe(Text),
  currencyCode: maybe(Text),
  maturityDate: maybe(Text),
  lastModifiedDate: maybe(Text),
  balances: maybe(Type.Object({ totalBalance: maybe(Amount) })),
  interestSettings: maybe(Type.Object({ interestRateSettings: maybe(Rate) })),
  overdraftSettings: maybe(Type.Object({ allowOverdraft: maybe(Type.Boolean()), overdraftLimit: maybe(Amount) })),
})

const Loan = Type.Object({
  encodedKey: Text,
  id: maybe(Text),
  loanName: maybe(Text),
  accountState: maybe(Text),
  loanAmount: maybe(Amount),
  currency: Currency,
  lastModifiedDate: maybe(Text),
  balances: maybe(
    Type.Object({
      principalBalance: maybe(Amount),
      interestBalance: maybe(Amount),
      feesBalance: maybe(Amount),
      penaltyBalance: maybe(Amount),
      principalDue: maybe(Amount),
      interestDue: maybe(Amount),
      feesDue: maybe(Amount),
      penaltyDue: maybe(Amount),
    }),
  ),
  interestSettings: maybe(Rate),
  /** Revolving credits only. */
  principalPaymentSettings: maybe(Type.Object({})),
})

const Schedule = Type.Object({
  currency: Currency,
  installments: maybe(Type.Array(Type.Object({ dueDate: maybe(Text), state: maybe(Text) }))),
})

/** Account with its tenant and, for a loan, its schedule. */
export const MambuAccount = Type.Object({
  tenant: Text,
  /** Organization's own currency, for records without one. */
  home: maybe(Text),
  deposit: maybe(Deposit),
  loan: maybe(Loan),
  schedule: maybe(Schedule),
})
export type MambuAccount = Static<typeof MambuAccount>

export const MambuTransaction = Type.Object({
  /** `deposit` or `loan`. */
  of: Text,
  account: Text,
  /** Currency of the account, else of the organization; a loan transaction does not always have one. */
  accountCurrency: maybe(Text),
  row: Type.Object({
    encodedKey: Text,
    type: Text,
    amount: Amount,
    currencyCode: maybe(Text),
    currency: Currency,
    bookingDate: maybe(Text),
    valueDate: Text,
    notes: maybe(Text),
    accountBalances: maybe(Type.Object({ totalBalance: maybe(Amount) })),
    cardTransaction: maybe(Type.Object({ cardAcceptor: maybe(Type.Object({ name: maybe(Text) })) })),
  }),
})
export type MambuTransaction = Static<typeof MambuTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const ListAnswer = Type.Array(Type.Unknown())
export const ScheduleAnswer = Type.Object({ installments: maybe(Type.Array(Type.Unknown())) })
export const HolderAnswer = Type.Object({
  encodedKey: Text,
  firstName: maybe(Text),
  lastName: maybe(Text),
  groupName: maybe(Text),
})
