import { beforeEach, describe, expect, it } from 'vitest'
import { VersionBatcher } from '../../src/api/read-cache/version-batcher.ts'

/** A query in flight, which the test answers. */
interface Question {
  keys: string[]
  answer(versions: Record<string, string>): void
  fail(error: Error): void
}

let questions: Question[]
let checks: VersionBatcher

/** Resolves once everything has happened that does not need an answer. */
const settled = async () => await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** The query with this number, which must be in flight. */
async function question(number: number): Promise<Question> {
  await settled()
  const found = questions[number]
  if (!found) throw new Error(`query ${number} was not made`)
  return found
}

beforeEach(() => {
  questions = []
  checks = new VersionBatcher(
    (keys) =>
      new Promise((resolve, reject) => {
        questions.push({ keys, answer: (versions) => resolve(new Map(Object.entries(versions))), fail: reject })
      }),
  )
})

describe('the query for versions', () => {
  it('is shared by all concurrent callers', async () => {
    const asked = ['a', 'b', 'a', 'c'].map((key) => checks.load(key))
    const { keys, answer } = await question(0)
    answer({ a: '1', b: '2' })
    expect(await Promise.all(asked)).toEqual(['1', '2', '1', null])
    expect(keys).toEqual(['a', 'b', 'c'])
    await settled()
    expect(questions, 'no query about nothing').toHaveLength(1)
  })

  it('is never one that was in flight when the caller arrived', async () => {
    const early = checks.load('a')
    const first = await question(0)
    const late = checks.load('a')
    first.answer({ a: '1' })
    ;(await question(1)).answer({ a: '2' })
    expect([await early, await late]).toEqual(['1', '2'])
  })

  it('waits while two are in flight, then serves all callers that arrived in the meantime', async () => {
    const first = [checks.load('a')]
    await question(0)
    first.push(checks.load('b'))
    await question(1)
    const later = [checks.load('c'), checks.load('d')]
    await settled()
    expect(questions).toHaveLength(2)
    ;(await question(1)).answer({ b: '1' })
    const third = await question(2)
    expect(third.keys).toEqual(['c', 'd'])
    third.answer({ c: '3', d: '4' })
    ;(await question(0)).answer({ a: '1' })
    expect(await Promise.all([...first, ...later])).toEqual(['1', '1', '3', '4'])
  })

  it('passes its error to all callers that waited for it, and the next caller queries again', async () => {
    const waiting = ['a', 'b', 'a'].map((key) => checks.load(key))
    const outcomes = Promise.allSettled(waiting)
    ;(await question(0)).fail(new Error('the database is away'))
    expect((await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'answered'))).toEqual(
      Array(3).fill('the database is away'),
    )
    const next = checks.load('a')
    ;(await question(1)).answer({ a: '1' })
    expect(await next).toBe('1')
  })
})
