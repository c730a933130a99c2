/** Palette entry: a page, an action or a record. */
export interface Result {
  id: string
  name: string
  /** Label of its kind, such as "Page" or "Company". */
  kind: string
  run(): void
}

/** Rank by the position of the match: start of the name, start of a word, inside a word; `OTHERWISE` for a match on something else. */
const [BEGINNING, WORD, INSIDE, OTHERWISE] = [0, 1, 2, 3] as const

/** Text without accents and in lower case, for comparison. */
function toPlain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()
}

/** Whether the name contains the words. */
export function fits(name: string, words: string): boolean {
  return toPlain(name).includes(toPlain(words))
}

/** Results by rank, whatever their kind; equal ones keep their order. */
export function rank<Item extends { name: string }>(results: readonly Item[], words: string): Item[] {
  return results.toSorted((one, other) => rankOf(one.name, words) - rankOf(other.name, words))
}

function rankOf(name: string, words: string): number {
  const [text, wanted] = [toPlain(name), toPlain(words)]
  if (text.startsWith(wanted)) return BEGINNING
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return WORD
  }
  return text.includes(wanted) ? INSIDE : OTHERWISE
}
