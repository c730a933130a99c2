import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { databaseForTests } from '../../test/harness/for-tests.ts'
import type { Database } from '../store/db/database.ts'
import { isRestoredCopy, ONLY_ANSWERS, type PauseWatch, watchPause } from './pause-watch.ts'

const db = databaseForTests()
beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

type Reason = 'restored' | 'requested'
/** What the database answers: the reason of the pause, null for none, an error, or nothing yet. */
type Answer = Reason | null | Error | Promise<void>

/** A watch on a database that answers as told, and what it has told in turn. */
async function open(first: Answer, signs?: Parameters<typeof watchPause>[2]) {
  let [answer, asked] = [first, 0]
  const query = async () => {
    asked += 1
    if (answer instanceof Error) throw answer
    if (answer instanceof Promise) await answer
    return { rows: typeof answer === 'string' ? [{ reason: answer, pausedAt: new Date(0), backupId: null }] : [] }
  }
  const database = Object.assign(Object.create(db.database) as Database, { query })
  const told: (string | null)[] = []
  const watch = await watchPause(database, (pause) => told.push(pause?.reason ?? null), signs)
  return {
    ...{ watch, told },
    asked: () => asked,
    answers: (next: Answer) => {
      answer = next
    },
  }
}

const reasonOf = (watch: PauseWatch) => watch.current()?.reason ?? null
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a pause is known before anything begins, and told; where there is none, nothing is told', async () => {
  const paused = await open('restored')
  const running = await open(null)
  expect([reasonOf(paused.watch), paused.told, reasonOf(running.watch), running.told]).toEqual(['restored', ['restored'], null, []])
  expect([await isRestoredCopy(paused.watch), await isRestoredCopy(running.watch)]).toEqual([true, false])
  expect(await isRestoredCopy((await open('requested')).watch)).toBe(false)
})

test('the state is read each second, a change is told once, and nothing is read after the stop', async () => {
  const { watch, told, asked, answers } = await open(null)
  answers('requested')
  await pass(999)
  expect(reasonOf(watch)).toBeNull()
  await pass(3_001)
  expect([reasonOf(watch), told, asked()]).toEqual(['requested', ['requested'], 5])
  answers(null)
  await pass(2_000)
  expect([reasonOf(watch), told]).toEqual([null, ['requested', null]])
  const before = asked()
  await watch.stop()
  await pass(10_000)
  expect(asked()).toBe(before)
})

test.each(['requested', null] as const)('the last state (%s) holds while the database does not answer', async (reason) => {
  const { watch, told, answers } = await open(reason)
  const before = [...told]
  answers(new Error('no database'))
  await pass(3_000)
  expect([reasonOf(watch), (await watch.find())?.reason ?? null, told]).toEqual([reason, reason, before])
})

test('whoever asks waits a second at most for a database that hangs, and gets the last state', async () => {
  const hanging = Promise.withResolvers<void>()
  const { watch, answers, asked } = await open('requested', ONLY_ANSWERS)
  answers(hanging.promise)
  await pass(1_000)
  let found: string | null | undefined
  const finding = watch.find().then((pause) => {
    found = pause?.reason ?? null
  })
  await pass(999)
  expect(found).toBeUndefined()
  await pass(1)
  await finding
  expect([found, asked()]).toEqual(['requested', 2])
  hanging.resolve()
  await watch.stop()
  expect(reasonOf(watch)).toBeNull()
})

test('a process that rests reads it every ten seconds', async () => {
  const { watch, asked } = await open(null, ONLY_ANSWERS)
  await pass(9_999)
  expect(asked()).toBe(1)
  await pass(1)
  expect(asked()).toBe(2)
  await watch.stop()
})
