/** What is posted every month: its shares by account number, which sum to zero; a positive one is a debit. */
export interface Routine {
  type: 'General' | 'Sale' | 'Purchase' | 'CashPayment' | 'CashReceipt' | 'Inventory'
  source: string
  memo: string
  lines: readonly (readonly [displayId: string, share: number])[]
}
