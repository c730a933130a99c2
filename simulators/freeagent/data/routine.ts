/** What is posted every month: by which kind of item (null: by none that FreeAgent names), and its shares by nominal code, which sum to zero. */
export interface Routine {
  item: string | null
  words: string
  lines: readonly (readonly [code: string, share: number])[]
}
