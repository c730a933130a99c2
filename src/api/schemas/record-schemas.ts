import { Type } from 'typebox'
import type { Category, Entity } from '../../model/catalogue.ts'
import { ACCOUNT_CLASSES, ACCOUNT_STATUSES, ACCOUNT_TYPES, ACCOUNTING_TAXONOMY_VERSION } from '../../model/records/accounting.ts'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY, BANKING_TAXONOMY_VERSION } from '../../model/records/banking.ts'
import { orNull, PlainTimestamp, Uuid } from './schemas.ts'

const Text = Type.String()
const Amount = orNull(Type.Number({ description: 'Exact decimal' }))
const Instant = orNull(Type.String({ description: 'ISO 8601 with offset' }))
const Day = orNull(Type.String({ description: 'Calendar day, YYYY-MM-DD' }))
const oneOf = (words: readonly string[], version?: number) =>
  Type.String({ enum: [...words], ...(version === undefined ? {} : { description: `Taxonomy version ${version}` }) })
const head = { serviceId: Uuid, serviceName: Text, lastUpdatedOn: PlainTimestamp }

const AccountingAccount = Type.Object(
  {
    ...head,
    id: Uuid,
    origId: Text,
    number: Text,
    name: Text,
    currency: Text,
    description: Text,
    classApp: Text,
    classSystem: oneOf(ACCOUNT_CLASSES, ACCOUNTING_TAXONOMY_VERSION),
    typeApp: Text,
    typeSystem: oneOf(ACCOUNT_TYPES, ACCOUNTING_TAXONOMY_VERSION),
    subTypeApp: Text,
    subTypeSystem: Text,
    statusApp: Text,
    statusSystem: oneOf(ACCOUNT_STATUSES),
  },
  { title: 'AccountingAccount' },
)

const AccountingTransaction = Type.Object(
  {
    ...head,
    id: Uuid,
    origId: Text,
    entryId: Type.String({ description: 'Lines of one entry balance' }),
    accountOrigId: Text,
    postedOn: Day,
    document: Text,
    description: Text,
    counterparty: Text,
    debit: Amount,
    credit: Amount,
    currency: Text,
    sourceType: Text,
    isDeleted: Type.Boolean(),
  },
  { title: 'AccountingTransaction' },
)

const BankAccount = Type.Object(
  {
    ...head,
    origId: Text,
    providerName: Text,
    accountName: Text,
    accountNumber: Type.String({ description: 'Masked' }),
    accountStatusSystem: oneOf(BANK_ACCOUNT_STATUSES),
    userAccountClassification: orNull(oneOf(['BUSINESS', 'PERSONAL'])),
    typeSystem: oneOf(Object.keys(BANK_ACCOUNT_TAXONOMY), BANKING_TAXONOMY_VERSION),
    subTypeSystem: Text,
    subTypeSystemDisplayName: Text,
    interestRate: orNull(Type.Number({ description: 'Percent: 7.25 means 7.25 %' })),
    availableCredit: Amount,
    dueDate: Instant,
    maturityAmount: Amount,
    maturityDate: Instant,
    minimumAmountDue: Amount,
    totalCreditLine: Amount,
    originalLoanAmount: Amount,
    lender: orNull(Text),
    amountDue: Amount,
    principalBalance: Amount,
    currency: Text,
    actualBalance: Amount,
    actualBalanceDate: Instant,
    sourceUpdatedDate: Instant,
  },
  { title: 'BankAccount' },
)

const BankTransaction = Type.Object(
  {
    ...head,
    id: Uuid,
    origId: Text,
    accountOrigId: Text,
    postedOn: Day,
    transactionOn: Day,
    amount: Type.Number({ description: 'Positive when money comes in to the account holder' }),
    currency: Text,
    description: Text,
    counterparty: Text,
    category: Text,
    isPending: Type.Boolean(),
    runningBalance: Amount,
    isDeleted: Type.Boolean(),
  },
  { title: 'BankTransaction' },
)

/** The records of the data lists, as `model/records/documents.ts` prints them. */
export const RECORD_SCHEMAS = {
  Accounting: { Accounts: AccountingAccount, Transactions: AccountingTransaction },
  Banking: { Accounts: BankAccount, Transactions: BankTransaction },
} satisfies Record<Category, Record<Entity, unknown>>
