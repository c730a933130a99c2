import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { distinctInSlices, flatMapInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { isPending } from './map.ts'
import { FdxTransaction, unwrap } from './wire.ts'

const isMovement = Compile(FdxTransaction.properties.transaction)
const isReference = Compile(Type.Object({ referenceTransactionId: Type.String({ minLength: 1 }) }))

/** Ids of the transactions that are not booked yet. */
export async function listPending(rows: readonly Json[]): Promise<string[]> {
  return await flatMapInSlices(rows, (row) => {
    const inner = unwrap(row, 'transactionId')?.inner
    return isMovement.Check(inner) && isPending(inner) ? [inner.transactionId] : []
  })
}

/**
 * Pending transactions that a booked one references as its origin, though the bank may list both for a while. Any other
 * reference is that of a correction, which leaves the corrected transaction unchanged.
 * Source: https://github.com/plaid/core-exchange, Transaction.referenceTransactionId
 */
export async function findSuperseded(rows: readonly Json[], pending: readonly string[]): Promise<Set<string>> {
  const known = new Set(pending)
  return await distinctInSlices(rows, (row) => {
    const inner = unwrap(row, 'transactionId')?.inner
    if (!isMovement.Check(inner) || isPending(inner) || !isReference.Check(inner)) return []
    return known.has(inner.referenceTransactionId) && inner.referenceTransactionId !== inner.transactionId
      ? [inner.referenceTransactionId]
      : []
  })
}
