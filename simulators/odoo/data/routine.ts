/** An entry that comes back every month. The first line carries the whole amount, the others share it on the other side. */
export interface Routine {
  label: string
  /** `move_type`. */
  kind: 'entry' | 'out_invoice' | 'in_invoice'
  lines: readonly { account: string; side: 'debit' | 'credit'; partner?: [number, string] }[]
}
