import type { Page } from '../../connectors/contract/contract.ts'
import type { Json } from '../../model/values/json.ts'
import type { RunCounts, SyncRun, UnmappedWord } from '../../store/connections/sync-runs.ts'

/** Counts of a run that has read nothing yet. */
export const NO_COUNTS: Readonly<RunCounts> = {
  ...{ pages: 0, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0, reidentified: 0, unclear: 0 },
}
const COUNTS = Object.keys(NO_COUNTS) as (keyof RunCounts)[]

/** Progress of a `SyncRun`, to whose other holders it is read-only; `saveProgress` stores it. */
interface Progress {
  pull: number
  page: number
  cursor: Json | null
  cursors: Record<string, Json>
  counts: RunCounts
}

/** Adds to some counts of a run. */
export function addCounts(run: Progress, added: Partial<RunCounts>): void {
  const counts = { ...run.counts }
  for (const name of COUNTS) {
    const more = added[name]
    if (more !== undefined) counts[name] += more
  }
  run.counts = counts
}

/** Replaces some counts of a run. */
export function setCounts(run: Progress, counts: Partial<RunCounts>): void {
  run.counts = { ...run.counts, ...counts }
}

/** Moves a run behind a page: to the next page, or to the first one of the next pull. */
export function advanceCursor(run: Progress, pullName: string, { next, resume }: Pick<Page, 'next' | 'resume'>): void {
  if (next !== null) {
    run.page += 1
    run.cursor = next
    return
  }
  if (resume !== undefined) run.cursors[pullName] = resume
  run.pull += 1
  run.page = 0
  run.cursor = null
}

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
