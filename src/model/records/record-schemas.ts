import type { Category, Entity } from '../catalogue.ts'
import { ACCOUNTING_ACCOUNT } from './accounting-account.ts'
import { ACCOUNTING_TRANSACTION } from './accounting-transaction.ts'
import { BANK_ACCOUNT } from './bank-account.ts'
import { BANK_TRANSACTION } from './bank-transaction.ts'
import type { RecordSchema } from './record-schema.ts'

/** Schemas of the four kinds of record. */
export const RECORD_SCHEMAS: Readonly<Record<Category, Readonly<Record<Entity, RecordSchema>>>> = {
  Accounting: { Accounts: ACCOUNTING_ACCOUNT, Transactions: ACCOUNTING_TRANSACTION },
  Banking: { Accounts: BANK_ACCOUNT, Transactions: BANK_TRANSACTION },
}
