/** A transaction posted every month. The first line carries the total; the others divide it on the other side. */
export interface Routine {
  type: string
  prefix: string
  memo: string
  /** Id of the customer or vendor. */
  entity: string | null
  subsidiary: string | null
  lines: readonly { account: string; side: 'debit' | 'credit' }[]
}
