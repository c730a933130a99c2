import type { SyncRun, UnmappedWord } from '../../store/connections/sync-runs.ts'

/** Maximum number of words kept per run, with their counts. */
const MAX_WORDS = 200

/** Adds unmapped words to those of a run, up to a limit. */
export function countWords(run: SyncRun, found: Iterable<FoundWord>): void {
  const words = new Map(run.unmapped.map((word) => [keyOf(word), word]))
  for (const word of found) countWord(words, word)
  run.unmapped = [...words.values()]
}

/** Default count 1. */
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
