import { beforeEach, describe, expect, it } from 'vitest'
import { VersionBatcher } from '../../src/api/read-cache/version-batcher.ts'

/** A question on its way to the database, which the test answers. */
interface Question {
  keys: string[]
  answer(versions: Record<string, string>): void
  fail(error: Error): void
}

let questions: Question[]
let checks: VersionBatcher

/** All that could happen without an answer has happened. */
const settled = async () => await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** The question with this number, which must be on its way. */
async function question(number: number): Promise<Question> {
  await settled()
  const found = questions[number]
  if (!found) throw new Error(`question ${number} is not asked`)
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

describe('the question for the versions', () => {
  it('is one for all who come at the same time', async () => {
    const asked = ['a', 'b', 'a', 'c'].map((key) => checks.load(key))
    const { keys, answer } = await question(0)
    answer({ a: '1', b: '2' })
    expect(await Promise.all(asked)).toEqual(['1', '2', '1', null])
    expect(keys).toEqual(['a', 'b', 'c'])
    expect(questions).toHaveLength(1)
  })

  it('is never one that was under way when somebody came', async () => {
    const early = checks.load('a')
    const first = await question(0)
    const late = checks.load('a')
    first.answer({ a: '1' })
    ;(await question(1)).answer({ a: '2' })
    expect([await early, await late]).toEqual(['1', '2'])
  })

  it('waits while two are on the way, and then takes all who came meanwhile', async () => {
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

  it('brings its error to all who waited for it, and the next one asks anew', async () => {
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
