/**
 * An item posted every month: its FreeAgent item type (null if FreeAgent names none), and its amounts by nominal code,
 * which sum to zero.
 */
export interface Routine {
  item: string | null
  words: string
  lines: readonly (readonly [code: string, share: number])[]
}
