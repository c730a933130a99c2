import type { SyncRun, UnmappedWord } from '../../store/connections/sync-runs.ts'

/** Words of one run that are kept with their counts. */
const MAX_WORDS = 200

/** Adds words of the source that no mapping knows to those of a run, which keeps a bounded number of them. */
export function countWords(run: SyncRun, found: Iterable<FoundWord>): void {
  const words = new Map(run.unmapped.map((word) => [keyOf(word), word]))
  for (const word of found) countWord(words, word)
  run.unmapped = [...words.values()]
}

/** Once where it names no count. */
type FoundWord = Omit<UnmappedWord, 'count'> & { count?: number }

export function countWord(words: Map<string, UnmappedWord>, { entity, field, word, count = 1 }: FoundWord): void {
  const key = keyOf({ entity, field, word })
  const known = words.get(key)
  if (known) known.count += count
  else if (words.size < MAX_WORDS) words.set(key, { entity, field, word: word.slice(0, 100), count })
}

function keyOf({ entity, field, word }: FoundWord): string {
  return `${entity}\n${field}\n${word}`
}
