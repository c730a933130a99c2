/** A transaction that comes back every month. The first line carries the whole amount, the others share it on the other side. */
export interface Routine {
  type: string
  prefix: string
  memo: string
  /** Id of the customer or vendor. */
  entity: string | null
  subsidiary: string | null
  lines: readonly { account: string; side: 'debit' | 'credit' }[]
}
