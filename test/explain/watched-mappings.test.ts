import { describe, expect, it } from 'vitest'
import type { Connector, SourceItem } from '../../src/connectors/contract/contract.ts'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { applyMapping } from '../../src/sync/explain/explain.ts'
import { watchReads } from '../../src/sync/explain/explain-reads.ts'
import { maskedPaths, maskRead } from '../../src/sync/explain/explain-values.ts'
import { findShapeFault } from '../../src/sync/runs/normalize.ts'
import { runPull } from '../conformance/run.ts'
import { type ConformanceSubject, httpSubjects } from '../conformance/subjects.ts'
import { SOURCE_PAGES, type SourcePage } from './source-pages.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const loaded = new Map<string, Connector>(
  await Promise.all([...connectors, ...exampleConnectors].map(async ({ key, load }) => [key, await load()] as const)),
)

const pages: readonly SourcePage[] = [...SOURCE_PAGES, ...(await listPages())]

/** Answers of the simulators of connectors without stored pages. */
async function listPages(): Promise<SourcePage[]> {
  const onFile = new Set(SOURCE_PAGES.map(({ connector }) => connector))
  const others = httpSubjects.filter(({ description }) => !onFile.has(description.key))
  return (await Promise.all(others.map(fetchAll))).flat()
}

async function fetchAll({ description, connector, subject }: ConformanceSubject): Promise<SourcePage[]> {
  const opened = await subject.open('small')
  try {
    const found: SourcePage[] = []
    for (const pull of connector.pulls) {
      for (const { page } of await runPull(opened.session, pull)) {
        // A page without answers only moves the cursor; the engine skips it.
        if (Object.keys(page.answers).length > 0) found.push({ connector: description.key, pull: pull.name, answers: page.answers })
      }
    }
    return found
  } finally {
    await opened.close()
  }
}

type Listed = Extract<SourceItem, { wire: unknown }>

/** All records of the pages that their mapping accepts. */
function* listRecords(): Generator<{ connector: string; item: Listed }> {
  for (const { connector, pull: name, answers } of pages) {
    const found = loaded.get(connector)
    const pull = found?.pulls.find((one) => one.name === name)
    if (!pull) throw new Error(`${connector} has no pull ${name}`)
    for (const item of pull.read(answers)) {
      const mapping = found?.entities[item.entity]
      if ('wire' in item && mapping && findShapeFault(mapping, item.wire) === null) yield { connector, item }
    }
  }
}

function plainRun(connector: string, item: Listed) {
  const mapping = loaded.get(connector)?.entities[item.entity]
  if (!mapping) throw new Error('no mapping')
  return Object.entries(mapping.map.fields).map(([field, read]) => {
    const unknownWords: string[] = []
    try {
      return {
        field,
        result: read(item.wire, { fetchedAt: FETCHED_AT, unmapped: (_f, word) => unknownWords.push(word) }),
        unknownWords,
      }
    } catch {
      return { field, result: null, unknownWords }
    }
  })
}

function watchedRun(connector: string, item: Listed) {
  const mapping = loaded.get(connector)?.entities[item.entity]
  if (!mapping) throw new Error('no mapping')
  return applyMapping(mapping, item.wire, FETCHED_AT)
}

describe('a mapping that is watched', () => {
  it('is covered for every kind of record of every connector', () => {
    const met = new Set([...listRecords()].map(({ connector, item }) => `${connector} ${item.entity}`))
    const all = [...loaded].flatMap(([key, { entities }]) => Object.keys(entities).map((entity) => `${key} ${entity}`))
    expect([...met].sort()).toEqual(all.sort())
  })

  it('yields the same result as the plain one, for every field of every record', () => {
    let fields = 0
    for (const { connector, item } of listRecords()) {
      const watched = watchedRun(connector, item).map(({ field, result, unknownWords }) => ({ field, result, unknownWords }))
      expect(watched, `${connector} ${item.origId}`).toEqual(plainRun(connector, item))
      fields += watched.length
    }
    expect(fields).toBeGreaterThan(1_900)
  })

  it('records only paths that exist in the record, with their values', () => {
    for (const { connector, item } of listRecords()) {
      for (const { field, reads } of watchedRun(connector, item)) {
        for (const { path, found, value } of reads) {
          const there = resolve(item.wire, path)
          const isSame = found === 'value' ? there === value : found === 'absent' ? there === undefined : typeof there === 'object'
          expect(isSame, `${connector} ${item.origId} ${field} ${path}`).toBe(true)
        }
      }
    }
  })

  it('names what each field of a known record was read from', () => {
    const [first] = [...listRecords()].filter(({ connector, item }) => connector === 'xero' && item.entity === 'Accounts')
    if (!first) throw new Error('no record')
    const paths = Object.fromEntries(watchedRun('xero', first.item).map(({ field, reads }) => [field, reads.map(({ path }) => path)]))
    expect(paths).toMatchObject({
      origId: ['/Account/AccountID'],
      number: ['/Account/Code'],
      classApp: ['/Account/Class'],
      typeApp: ['/Account/Type'],
      statusSystem: ['/Account/Status'],
    })
    expect(paths.typeSystem).toEqual(expect.arrayContaining(['/Account/Type', '/Account/BankAccountType']))
  })
})

describe('the displayed raw values', () => {
  it('never contain more of an account number than its last four digits', () => {
    for (const { connector, item } of listRecords()) {
      const applied = watchedRun(connector, item)
      const published = new Set(applied.map(({ result }) => String(result)))
      const showing = { published, masked: maskedPaths(applied) }
      // Some sources give times in seconds since the epoch, which have as many digits as an account number.
      const shown = applied.flatMap(({ reads }) =>
        reads
          .filter(({ path }) => !/date|time|posted|transacted|as_of|created|_at$/i.test(path))
          .map((read) => String(maskRead(read, showing).value)),
      )
      const full = shown.filter((value) => /^\d{9,}$/.test(value) && !published.has(value))
      expect(full, `${connector} ${item.origId}`).toEqual([])
    }
  })

  it('are masked wherever a number of a masked field occurs again, and where the field name indicates it', () => {
    const read = (path: string, value: string) => ({ path, found: 'value' as const, value })
    const number = read('/account/no', '5588 4411')
    const masked = maskedPaths([{ result: '••••4411', reads: [number] }])
    const showing = { published: new Set(['5588 4411', 'Chequing']), masked }
    expect(maskRead(number, showing).value).toBe('••••4411')
    const unpublished = { published: new Set<string>(), masked: new Map<string, string>() }
    expect(maskRead(read('/bank_account/accountNumber', '1234567'), unpublished).value).toBe('••••4567')
    expect(maskRead(read('/note', 'card 4111 1111 1111 1111 used'), unpublished).value).toBe('card ••••1111 used')
    expect(maskRead(read('/auth/refreshToken', 'abcdef'), unpublished).value).toBe('[secret]')
    expect(maskRead(read('/mask', '0083'), { published: new Set(), masked: new Map([['/mask', '••••0083']]) }).value).toBe('••••0083')
  })
})

describe('a watched record', () => {
  const wire = { list: [{ a: 1 }, { a: 2 }], empty: [], none: null, at: new Date(0), 'a/b~c': 'x', inner: { deep: { word: 'w' } } }

  it.each([
    ['a list that is searched', (w: typeof wire) => w.list.find(({ a }) => a === 2)?.a, ['/list/0/a', '/list/1/a']],
    ['an empty list', (w: typeof wire) => w.empty.length, ['/empty']],
    ['a question for a name', (w: typeof wire) => 'none' in w, ['/none']],
    ['what is not there', (w: typeof wire) => (w as Record<string, unknown>).gone, ['/gone']],
    ['names that a pointer escapes', (w: typeof wire) => w['a/b~c'], ['/a~1b~0c']],
    ['all at once', (w: typeof wire) => JSON.stringify(w.inner), ['/inner/deep/word']],
    ['a copy', (w: typeof wire) => ({ ...w.inner }), ['/inner/deep']],
    ['a sum', (w: typeof wire) => w.list.reduce((sum, { a }) => sum + a, 0), ['/list/0/a', '/list/1/a']],
    ['names only', (w: typeof wire) => Object.keys(w.inner.deep), ['/inner/deep']],
    ['what is no plain data', (w: typeof wire) => w.at.getTime(), ['/at']],
    ['identity', (w: typeof wire) => w.list.indexOf(w.list[1] as { a: number }), ['/list/1', '/list/0']],
  ])('%s', (_title, read, paths) => {
    const { view, listReads } = watchReads(wire)
    const result = read(view as typeof wire)
    expect(listReads().map(({ path }) => path)).toEqual(paths)
    expect(result).toEqual(read(wire))
  })

  it('can be read when it is frozen', () => {
    const frozen = Object.freeze({ inner: Object.freeze({ a: 1 }) })
    const { view } = watchReads(frozen)
    expect((view as typeof frozen).inner.a).toBe(1)
  })
})

function resolve(wire: unknown, pointer: string): unknown {
  let value = wire
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
}
