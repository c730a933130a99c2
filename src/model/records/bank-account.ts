import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY, BANKING_TAXONOMY_VERSION, type BankAccountKind, kindDisplayName } from './banking.ts'
import { amount, type CompoundField, instant, nullable, oneOf, openEnum, part, percentage, text } from './fields.ts'
import { type NormalizedOf, recordSchema } from './record-schema.ts'

/** Type of the taxonomy with one of its codes; printed as three properties. */
const kind: CompoundField<BankAccountKind> = {
  parts: {
    typeSystem: part(
      oneOf(Object.keys(BANK_ACCOUNT_TAXONOMY), { description: `Taxonomy version ${BANKING_TAXONOMY_VERSION}` }),
      ({ type }) => type,
    ),
    subTypeSystem: part(openEnum(), ({ subType }) => subType),
    subTypeSystemDisplayName: part(text(), kindDisplayName),
  },
}

/**
 * Bank account. Values that the source does not report are null (never 0). Amounts are in `currency`; an asset is
 * negative when overdrawn, a liability positive when owed.
 */
export const BANK_ACCOUNT = recordSchema(
  'BankAccount',
  {
    origId: text(),
    providerName: text(),
    accountName: text(),
    accountNumber: text({ description: 'Masked: `••••1234`' }),
    accountStatusSystem: oneOf(BANK_ACCOUNT_STATUSES),
    userAccountClassification: nullable(oneOf(['BUSINESS', 'PERSONAL'])),
    kind,
    interestRate: nullable(percentage()),
    availableCredit: nullable(amount()),
    dueDate: nullable(instant()),
    maturityAmount: nullable(amount()),
    maturityDate: nullable(instant()),
    minimumAmountDue: nullable(amount()),
    totalCreditLine: nullable(amount()),
    originalLoanAmount: nullable(amount()),
    lender: nullable(text()),
    amountDue: nullable(amount()),
    principalBalance: nullable(amount()),
    currency: text(),
    actualBalance: nullable(amount()),
    actualBalanceDate: nullable(instant()),
    sourceUpdatedDate: nullable(instant()),
  },
  (account) => `${account.accountName}\u0001${account.accountNumber}`,
)

export type BankAccount = NormalizedOf<(typeof BANK_ACCOUNT)['fields']>
