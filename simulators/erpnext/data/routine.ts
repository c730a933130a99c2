/** A voucher that comes back every month. The first line carries the whole amount, the others share it on the other side. */
export interface Routine {
  voucherType: 'Sales Invoice' | 'Purchase Invoice' | 'Journal Entry'
  prefix: string
  remarks: string
  lines: readonly { account: string; side: 'debit' | 'credit'; party?: [type: string, name: string] }[]
}
