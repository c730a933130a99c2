import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import requirements from './asvs-requirements.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..', '..')
const folder = join(root, 'docs', 'security')
const STATES = ['met', 'documented', 'not tested', 'not applicable', 'not met'] as const
const ROW = /^\| V(\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([a-z ]+) \| ([^|]+) \|$/gm

const texts = globSync('asvs/*.md', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
const rows = texts.flatMap((text) =>
  [...text.matchAll(ROW)].map(([, number = '', level = '', , state = '', where = '']) => ({ number, level, state, where })),
)
const summary = readFileSync(join(folder, 'asvs.md'), 'utf8')

describe('the requirements of ASVS', () => {
  it.each(Object.entries(requirements))('of level %s are each answered once', (level, numbers) => {
    expect(rows.filter((row) => row.level === level).map(({ number }) => number)).toEqual(expect.arrayContaining(numbers))
    expect(rows.filter((row) => row.level === level)).toHaveLength(numbers.length)
  })

  it('are in rows that can all be parsed, with a valid state', () => {
    expect(rows).toHaveLength(texts.join('').match(/^\| V/gm)?.length ?? 0)
    expect(rows.filter(({ state }) => !STATES.some((known) => known === state))).toEqual([])
  })

  it('name existing files', () => {
    const named = rows.flatMap(({ where }) => [...where.matchAll(/`((?:src|test|tools|deploy)\/[^`]+)`/g)].map(([, path = '']) => path))
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('that are met name a test, and documented ones a document', () => {
    expect(rows.filter(({ state, where }) => state === 'met' && !/`[^`]+\.test\.ts`/.test(where))).toEqual([])
    expect(rows.filter(({ state, where }) => state === 'documented' && !/\]\([^)]+\.md|README|reference/.test(where))).toEqual([])
  })

  it('are counted correctly in the summary, by chapter and level', () => {
    const counted = [...summary.matchAll(/^\| (?:\[V(\d+) [^\]]+\]\([^)]+\)|level (\d)|all) \| ([\d |]+) \|$/gm)]
    expect(counted).toHaveLength(20)
    for (const [line, chapter, level, figures = ''] of counted) {
      const own = rows.filter((row) => (!chapter || row.number.startsWith(`${chapter}.`)) && (!level || row.level === level))
      const expected = [...STATES.map((state) => own.filter((row) => row.state === state).length), own.length]
      expect([line, figures.split(' | ').map(Number)]).toEqual([line, expected])
    }
  })

  it('that are not met are all listed with the summary', () => {
    const listed = [...summary.matchAll(/^- V(\d+\.\d+\.\d+) \(level ([12])\)/gm)].map(([, number, level]) => ({ number, level }))
    const wanted = rows.filter(({ state }) => state === 'not met').map(({ number, level }) => ({ number, level }))
    expect(new Set(listed.map((each) => JSON.stringify(each)))).toEqual(new Set(wanted.map((each) => JSON.stringify(each))))
  })
})
