/** A document that is posted every month. The first line carries the whole amount, the others share it on the other side. */
export interface Routine {
  /** Begins the document's number. */
  document: string
  /** `documentType` as it goes over the wire. */
  type: string
  text: string
  lines: readonly { number: string; side: 'debit' | 'credit' }[]
}
