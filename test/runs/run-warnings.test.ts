import { expect, it } from 'vitest'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { listWarnings } from '../../src/sync/runs/run-warnings.ts'

type Run = Parameters<typeof listWarnings>[0]
const run = (given: Partial<Run> = {}): Run => ({ counts: NO_COUNTS, unmapped: [], state: 'published', error: null, ...given })
const word = (name: string, count: number) => ({ entity: 'Accounts', field: 'kind', word: name, count })

it('a run without anything to look at has no warning', () => {
  for (const state of ['running', 'published', 'unchanged', 'abandoned'] as const)
    expect(listWarnings(run({ state, error: 'unused' }))).toEqual([])
})

it.each<[string, Partial<Run>, object]>([
  [
    'set aside',
    { counts: { ...NO_COUNTS, setAside: 3 } },
    { code: 'setAside', count: 3, message: '3 records could not be normalized and were set aside' },
  ],
  [
    'held back',
    { counts: { ...NO_COUNTS, heldBack: 4 } },
    { code: 'heldBack', count: 4, message: '4 records were missing from the source, too many at once to be believed' },
  ],
  [
    'unclear',
    { counts: { ...NO_COUNTS, unclear: 5 } },
    { code: 'unclear', count: 5, message: '5 accounts could not be told apart after a reconnect' },
  ],
  [
    'unmapped',
    { unmapped: [word('a', 2), word('b', 5)] },
    { code: 'unmapped', count: 7, message: '2 words of the source are not known, in 7 places' },
  ],
  ['failed', { state: 'failed', error: 'HTTP 503' }, { code: 'failed', count: 1, message: 'HTTP 503' }],
  ['failed without a reason', { state: 'failed' }, { code: 'failed', count: 1, message: 'the run failed' }],
])('what was %s is a warning with its number', (_what, given, expected) => {
  expect(listWarnings(run(given))).toEqual([expected])
})

it('warnings are in one order, and counts of earlier releases may lack the unclear ones', () => {
  const { unclear: _, ...earlier } = { ...NO_COUNTS, setAside: 1, heldBack: 1 }
  const given: Partial<Run> = { counts: earlier as Run['counts'], unmapped: [word('a', 1)], state: 'failed' }
  expect(listWarnings(run(given)).map(({ code }) => code)).toEqual(['setAside', 'heldBack', 'unmapped', 'failed'])
})
