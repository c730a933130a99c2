/** A transaction posted every month: its amounts by account number, which sum to zero; positive is a debit. */
export interface Routine {
  type: 'General' | 'Sale' | 'Purchase' | 'CashPayment' | 'CashReceipt' | 'Inventory'
  source: string
  memo: string
  lines: readonly (readonly [displayId: string, share: number])[]
}
