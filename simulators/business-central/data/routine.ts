/** A document posted every month. The first line carries the total; the others divide it on the other side. */
export interface Routine {
  /** Prefix of the document number. */
  document: string
  /** `documentType` in the API's encoding. */
  type: string
  text: string
  lines: readonly { number: string; side: 'debit' | 'credit' }[]
}
