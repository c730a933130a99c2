import { amount, day, deletedFlag, flag, nullable, recordId, text } from './fields.ts'
import { type NormalizedOf, recordSchema } from './record-schema.ts'

/** Bank transaction. */
export const BANK_TRANSACTION = recordSchema(
  'BankTransaction',
  {
    id: recordId(),
    origId: text(),
    accountOrigId: text({ description: '`origId` of the account' }),
    postedOn: nullable(day({ description: 'When the bank booked it; null while pending' })),
    transactionOn: nullable(day({ description: 'Of the transaction itself, where the source tells it apart' })),
    amount: amount({ description: 'Positive when money comes in to the account holder, negative when it goes out' }),
    currency: text(),
    description: text(),
    counterparty: text(),
    category: text({ description: 'The source’s own category word; empty when none' }),
    isPending: flag(),
    runningBalance: nullable(amount()),
    isDeleted: deletedFlag(),
  },
  (transaction) => `${transaction.postedOn ?? transaction.transactionOn ?? ''}\u0001${transaction.accountOrigId}`,
)

export type BankTransaction = NormalizedOf<(typeof BANK_TRANSACTION)['fields']>
