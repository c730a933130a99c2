/** A journal posted every month: its note and the nominal codes of its lines. */
export interface Routine {
  note: string
  lines: readonly (readonly [code: number, side: 'debit' | 'credit'])[]
}
