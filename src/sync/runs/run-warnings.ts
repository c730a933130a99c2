import type { RunCounts, SyncRun, UnmappedWord } from '../../store/connections/sync-runs.ts'

/** Warning of a run, for a person to look at; the run has published nevertheless, unless it failed. */
export interface RunWarning {
  code: 'setAside' | 'heldBack' | 'unmapped' | 'unclear' | 'failed'
  count: number
  message: string
}

export function listWarnings(run: {
  counts: RunCounts
  unmapped: UnmappedWord[]
  state: SyncRun['state']
  error: string | null
}): RunWarning[] {
  const { setAside, heldBack, unclear = 0 } = run.counts
  const words = run.unmapped.reduce((sum, word) => sum + word.count, 0)
  const warnings: RunWarning[] = [
    { code: 'setAside', count: setAside, message: `${setAside} records could not be normalized and were set aside` },
    { code: 'heldBack', count: heldBack, message: `${heldBack} records were missing from the source, too many at once to be believed` },
    { code: 'unclear', count: unclear, message: `${unclear} accounts could not be told apart after a reconnect` },
    { code: 'unmapped', count: words, message: `${run.unmapped.length} words of the source are not known, in ${words} places` },
    { code: 'failed', count: run.state === 'failed' ? 1 : 0, message: run.error ?? 'the run failed' },
  ]
  return warnings.filter(({ count }) => count > 0)
}
