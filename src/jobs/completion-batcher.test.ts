import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { databaseForTests } from '../../test/harness/for-tests.ts'
import type { Database } from '../store/db/database.ts'
import { createCompletionBatcher } from './completion-batcher.ts'

const db = databaseForTests()

/** A batcher whose statements wait for `answer`, and the number of jobs in each of them. */
function openBatcher() {
  const batches: number[] = []
  const answers: PromiseWithResolvers<{ rows: never[] }>[] = []
  const query = ({ values }: { values: unknown[][] }) => {
    batches.push(values[1]?.length ?? 0)
    const answer = Promise.withResolvers<{ rows: never[] }>()
    answers.push(answer)
    return answer.promise
  }
  const database = Object.assign(Object.create(db.database) as Database, { query })
  const { complete } = createCompletionBatcher(database, randomUUID())
  const ended: string[] = []
  return {
    batches,
    answers,
    ended,
    complete: (name: string) =>
      complete({ id: randomUUID(), key: name }).then(
        () => void ended.push(name),
        (error: Error) => void ended.push(`${name}: ${error.message}`),
      ),
  }
}

const untilImmediate = () => new Promise((resolve) => setImmediate(resolve))

test('jobs that finish together leave the queue in one statement, those that finish meanwhile in the next', async () => {
  const { batches, answers, ended, complete } = openBatcher()
  const first = [complete('a'), complete('b')]
  expect(batches).toEqual([])
  await untilImmediate()
  const second = [complete('c'), complete('d'), complete('e')]
  await untilImmediate()
  expect([batches, ended]).toEqual([[2], []])
  answers[0]?.resolve({ rows: [] })
  await Promise.all(first)
  await untilImmediate()
  expect([batches, ended]).toEqual([
    [2, 3],
    ['a', 'b'],
  ])
  answers[1]?.resolve({ rows: [] })
  await Promise.all(second)
  const last = complete('f')
  await untilImmediate()
  answers[2]?.resolve({ rows: [] })
  await last
  expect([batches, ended.at(-1)]).toEqual([[2, 3, 1], 'f'])
})

test('a statement that fails is told to each of its jobs, and the next one is made', async () => {
  const { batches, answers, ended, complete } = openBatcher()
  const failing = [complete('a'), complete('b')]
  await untilImmediate()
  const next = complete('c')
  answers[0]?.reject(new Error('no database'))
  await Promise.all(failing)
  await untilImmediate()
  answers[1]?.resolve({ rows: [] })
  await next
  expect([batches, ended]).toEqual([
    [2, 1],
    ['a: no database', 'b: no database', 'c'],
  ])
})
