import { amount, day, deletedFlag, nullable, recordId, text } from './fields.ts'
import { type NormalizedOf, recordSchema } from './record-schema.ts'

/** Line of a journal entry. Exactly one of debit and credit is set, both are positive. */
export const ACCOUNTING_TRANSACTION = recordSchema(
  'AccountingTransaction',
  {
    id: recordId(),
    origId: text(),
    entryId: text({ description: 'Lines of one entry balance' }),
    accountOrigId: text({ description: '`origId` of the account' }),
    postedOn: nullable(day()),
    document: text(),
    description: text(),
    counterparty: text(),
    debit: nullable(amount()),
    credit: nullable(amount()),
    currency: text(),
    sourceType: text({ description: 'The source’s word for the kind of document' }),
    isDeleted: deletedFlag(),
  },
  (transaction) => `${transaction.postedOn ?? ''}\u0001${transaction.entryId}`,
)

export type AccountingTransaction = NormalizedOf<(typeof ACCOUNTING_TRANSACTION)['fields']>
