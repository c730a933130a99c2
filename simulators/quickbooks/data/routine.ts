/** A journal entry posted every month. The first line carries the total; the others divide it on the other side. */
export interface Routine {
  note: string
  lines: readonly {
    account: string
    side: 'Debit' | 'Credit'
    entity?: { type: 'Vendor' | 'Customer' | 'Employee'; id: string; name: string }
  }[]
}
