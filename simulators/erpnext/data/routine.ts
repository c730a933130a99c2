/** A voucher posted every month. The first line carries the total; the others divide it on the other side. */
export interface Routine {
  voucherType: 'Sales Invoice' | 'Purchase Invoice' | 'Journal Entry'
  prefix: string
  remarks: string
  lines: readonly { account: string; side: 'debit' | 'credit'; party?: [type: string, name: string] }[]
}
