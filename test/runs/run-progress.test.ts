import { describe, expect, it } from 'vitest'
import type { SyncRun, UnmappedWord } from '../../src/store/connections/sync-runs.ts'
import { addCounts, advanceCursor, countWord, countWords, NO_COUNTS, setCounts } from '../../src/sync/runs/run-progress.ts'

type Progress = Parameters<typeof addCounts>[0]
const progress = (): Progress => ({ pull: 1, page: 4, cursor: 'c4', cursors: { other: 'kept' }, counts: { ...NO_COUNTS, pages: 2 } })
const word = (name: string, count = 1): UnmappedWord => ({ entity: 'Accounts', field: 'kind', word: name, count })

describe('the counts of a run', () => {
  it('grow by what is added, and stay as they were for whoever has them', () => {
    const run = progress()
    const before = run.counts
    addCounts(run, { pages: 1, records: 10, deleted: 0 })
    addCounts(run, { records: 5, unclear: 2, reidentified: 3, heldBack: 4, setAside: 6, changed: 7 })
    expect(run.counts).toEqual({ pages: 3, records: 15, changed: 7, setAside: 6, deleted: 0, heldBack: 4, reidentified: 3, unclear: 2 })
    expect(before).toEqual({ ...NO_COUNTS, pages: 2 })
  })

  it('of an earlier release that lacks some begin where they are added', () => {
    const run = progress()
    setCounts(run, { changed: 9 })
    expect(run.counts).toEqual({ ...NO_COUNTS, pages: 2, changed: 9 })
  })
})

describe('a run behind a page', () => {
  it('is at the next page where there is one', () => {
    const run = progress()
    advanceCursor(run, 'list', { next: 'c5', resume: 'unused' })
    expect(run).toEqual({ ...progress(), page: 5, cursor: 'c5' })
  })

  it('is at the first page of the next list where there is none, and remembers where to resume', () => {
    const run = progress()
    advanceCursor(run, 'list', { next: null, resume: { since: 7 } })
    expect(run).toEqual({ ...progress(), pull: 2, page: 0, cursor: null, cursors: { other: 'kept', list: { since: 7 } } })
  })

  it('remembers nothing where the source gives nothing to resume from', () => {
    const run = progress()
    advanceCursor(run, 'list', { next: null })
    expect(run.cursors).toStrictEqual({ other: 'kept' })
  })
})

describe('words that no mapping knows', () => {
  const count = (unmapped: UnmappedWord[], found: (Omit<UnmappedWord, 'count'> & { count?: number })[]) => {
    const run = { unmapped } as Pick<SyncRun, 'unmapped'> as SyncRun
    countWords(run, found)
    return run.unmapped
  }
  const of = (entity: string, field: string, text: string) => ({ entity, field, word: text })

  it('are counted by record, field and word', () => {
    const found = [of('Accounts', 'kind', 'a'), of('Accounts', 'kind', 'a'), of('Accounts', 'status', 'a'), of('Transactions', 'kind', 'a')]
    expect(count([word('a', 3)], [...found, { ...of('Accounts', 'kind', 'b'), count: 4 }])).toEqual([
      word('a', 5),
      { ...of('Accounts', 'status', 'a'), count: 1 },
      { ...of('Transactions', 'kind', 'a'), count: 1 },
      word('b', 4),
    ])
  })

  it('are two hundred at most, of which known ones are counted further', () => {
    const words = Array.from({ length: 199 }, (_, index) => word(`w${index}`))
    const all = count(words, [of('Accounts', 'kind', 'last'), of('Accounts', 'kind', 'dropped'), of('Accounts', 'kind', 'w0')])
    expect([all.length, all[0], all.at(-1)]).toEqual([200, word('w0', 2), word('last')])
  })

  it('are kept up to a hundred characters, and told apart by all of them', () => {
    const words = new Map<string, UnmappedWord>()
    const long = 'x'.repeat(100)
    for (const text of [`${long}1`, `${long}2`, `${long}1`]) countWord(words, of('Accounts', 'kind', text))
    expect([...words.values()]).toEqual([word(long, 2), word(long, 1)])
  })
})
