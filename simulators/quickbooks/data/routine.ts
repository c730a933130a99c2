/** A journal entry that comes back every month. The first line carries the whole amount, the others share it on the other side. */
export interface Routine {
  note: string
  lines: readonly {
    account: string
    side: 'Debit' | 'Credit'
    entity?: { type: 'Vendor' | 'Customer' | 'Employee'; id: string; name: string }
  }[]
}
