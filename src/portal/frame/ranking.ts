/** Something that one can go to or do. */
export interface Result {
  id: string
  name: string
  /** What it is: a page, a company… */
  kind: string
  run(): void
}

/** Where the words stand in a name: at its beginning, at the beginning of a word, inside one; `OTHERWISE` where it was found by something else. */
const [BEGINNING, WORD, INSIDE, OTHERWISE] = [0, 1, 2, 3] as const

/** Without accents and in lower case, as people type. */
function toPlain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()
}

/** Whether the words stand in the name anywhere. */
export function fits(name: string, words: string): boolean {
  return toPlain(name).includes(toPlain(words))
}

/** The best first, whatever kind it is; what is equally good stays in its order. */
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
