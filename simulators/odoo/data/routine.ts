/** An entry posted every month. The first line carries the total; the others divide it on the other side. */
export interface Routine {
  label: string
  /** `move_type`. */
  kind: 'entry' | 'out_invoice' | 'in_invoice'
  lines: readonly { account: string; side: 'debit' | 'credit'; partner?: [number, string] }[]
}
