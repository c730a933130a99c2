import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { isPending } from './map.ts'
import { FdxTransaction, unwrap } from './wire.ts'

const isMovement = Compile(FdxTransaction.properties.transaction)
const isReference = Compile(Type.Object({ referenceTransactionId: Type.String({ minLength: 1 }) }))

/** Ids of the transactions that are not booked yet. */
export function listPending(rows: readonly Json[]): string[] {
  return rows.flatMap((row) => {
    const inner = unwrap(row, 'transactionId')?.inner
    return isMovement.Check(inner) && isPending(inner) ? [inner.transactionId] : []
  })
}

/**
 * Pending transactions that a booked one references as its origin, though the bank may list both for a while. Any other
 * reference is that of a correction, which leaves the corrected transaction unchanged.
 * Source: https://github.com/plaid/core-exchange, Transaction.referenceTransactionId
 */
export function findSuperseded(rows: readonly Json[], pending: readonly string[]): string[] {
  const known = new Set(pending)
  return rows.flatMap((row) => {
    const inner = unwrap(row, 'transactionId')?.inner
    if (!isMovement.Check(inner) || isPending(inner) || !isReference.Check(inner)) return []
    return known.has(inner.referenceTransactionId) && inner.referenceTransactionId !== inner.transactionId
      ? [inner.referenceTransactionId]
      : []
  })
}
