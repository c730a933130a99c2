import type { Category, Entity } from '../catalogue.ts'
import { jsonNumber } from '../values/json.ts'
import type { AccountingAccount, AccountingTransaction } from './accounting.ts'
import { type BankAccount, type BankTransaction, kindDisplayName } from './banking.ts'

/** What stands in front of every record that the API shows. */
export interface DocumentHead {
  serviceId: string
  serviceName: string
  /** When this version of the record was read, without offset. */
  lastUpdatedOn: string
}

/** The finished body of one record: JSON text with the fields of the specification after the head, and the text that lists sort by. */
export interface DocumentBody {
  json: string
  /** The body as versions of a record are compared: without what only says when it was seen. */
  compared: string
  sortKey: string
}

type Normalized = AccountingAccount | AccountingTransaction | BankAccount | BankTransaction

/** Turns a normalized record into the text that the API returns for it, all but the head. `id` is the record's stable id. */
export function toDocumentBody(
  category: Category,
  entity: Entity,
  id: string,
  record: Normalized,
  observed: readonly string[] = [],
): DocumentBody {
  const [fields, sortKey] = BODIES[category][entity](id, record as never)
  const json = JSON.stringify(fields)
  const compared = observed.length === 0 ? json : JSON.stringify({ ...fields, ...Object.fromEntries(observed.map((name) => [name, null])) })
  return { json, compared, sortKey }
}

/** Puts the head and a body into one object: the whole document. The head of all records of a page is the same, so it is printed once. */
export function documentPrinter(head: DocumentHead): (bodyJson: string) => string {
  const start = `${JSON.stringify(head).slice(0, -1)},`
  return (bodyJson) => start + bodyJson.slice(1)
}

type Body<R> = (id: string, record: R) => [Record<string, unknown>, string]

const accountingAccount: Body<AccountingAccount> = (id, a) => [
  {
    id,
    origId: a.origId,
    number: a.number,
    name: a.name,
    currency: a.currency,
    description: a.description,
    classApp: a.classApp,
    classSystem: a.classSystem,
    typeApp: a.typeApp,
    typeSystem: a.typeSystem,
    subTypeApp: a.subTypeApp,
    subTypeSystem: a.subTypeSystem,
    statusApp: a.statusApp,
    statusSystem: a.statusSystem,
  },
  `${a.number}\u0001${a.name}`,
]

const accountingTransaction: Body<AccountingTransaction> = (id, t) => [
  {
    id,
    origId: t.origId,
    entryId: t.entryId,
    accountOrigId: t.accountOrigId,
    postedOn: t.postedOn,
    document: t.document,
    description: t.description,
    counterparty: t.counterparty,
    debit: jsonNumber(t.debit),
    credit: jsonNumber(t.credit),
    currency: t.currency,
    sourceType: t.sourceType,
    isDeleted: false,
  },
  `${t.postedOn ?? ''}\u0001${t.entryId}`,
]

const bankAccount: Body<BankAccount> = (_id, a) => [
  {
    origId: a.origId,
    providerName: a.providerName,
    accountName: a.accountName,
    accountNumber: a.accountNumber,
    accountStatusSystem: a.accountStatusSystem,
    userAccountClassification: a.userAccountClassification,
    typeSystem: a.kind.type,
    subTypeSystem: a.kind.subType,
    subTypeSystemDisplayName: kindDisplayName(a.kind),
    interestRate: jsonNumber(a.interestRate),
    availableCredit: jsonNumber(a.availableCredit),
    dueDate: a.dueDate,
    maturityAmount: jsonNumber(a.maturityAmount),
    maturityDate: a.maturityDate,
    minimumAmountDue: jsonNumber(a.minimumAmountDue),
    totalCreditLine: jsonNumber(a.totalCreditLine),
    originalLoanAmount: jsonNumber(a.originalLoanAmount),
    lender: a.lender,
    amountDue: jsonNumber(a.amountDue),
    principalBalance: jsonNumber(a.principalBalance),
    currency: a.currency,
    actualBalance: jsonNumber(a.actualBalance),
    actualBalanceDate: a.actualBalanceDate,
    sourceUpdatedDate: a.sourceUpdatedDate,
  },
  `${a.accountName}\u0001${a.accountNumber}`,
]

const bankTransaction: Body<BankTransaction> = (id, t) => [
  {
    id,
    origId: t.origId,
    accountOrigId: t.accountOrigId,
    postedOn: t.postedOn,
    transactionOn: t.transactionOn,
    amount: jsonNumber(t.amount),
    currency: t.currency,
    description: t.description,
    counterparty: t.counterparty,
    category: t.category,
    isPending: t.isPending,
    runningBalance: jsonNumber(t.runningBalance),
    isDeleted: false,
  },
  `${t.postedOn ?? t.transactionOn ?? ''}\u0001${t.accountOrigId}`,
]

const BODIES: Record<Category, Record<Entity, Body<never>>> = {
  Accounting: { Accounts: accountingAccount, Transactions: accountingTransaction },
  Banking: { Accounts: bankAccount, Transactions: bankTransaction },
}
