import { expect, it } from 'vitest'
import { FairSemaphore } from './semaphore.ts'

/** Tasks that end when they are told to. */
function tasks(semaphore: FairSemaphore) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const runs: Promise<void>[] = []
  const run = (party: string, name: string) =>
    void runs.push(
      semaphore.run(party, () => {
        started.push(name)
        return new Promise((resolve) => void ends.set(name, resolve))
      }),
    )
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { started, run, end, runs }
}

it('one party leaves a permit to another, which does not wait behind its tasks', async () => {
  const { started, run, end, runs } = tasks(new FairSemaphore({ permits: 3, most: 2 }))
  for (const name of ['l1', 'l2', 'l3', 'l4']) run('loud', name)
  expect(started).toEqual(['l1', 'l2'])
  run('quiet', 'q1')
  expect(started).toEqual(['l1', 'l2', 'q1'])
  for (const name of ['l1', 'l2', 'l3', 'l4', 'q1']) await end(name)
  await Promise.all(runs)
  expect(started).toEqual(['l1', 'l2', 'q1', 'l3', 'l4'])
})

it('those who wait get permits in turn, whoever has more tasks', async () => {
  const { started, run, end, runs } = tasks(new FairSemaphore({ permits: 2, most: 2 }))
  for (const name of ['l1', 'l2', 'l3', 'l4']) run('loud', name)
  for (const name of ['q1', 'q2']) run('quiet', name)
  for (const name of ['l1', 'l2', 'l3', 'q1', 'q2', 'l4']) await end(name)
  await Promise.all(runs)
  expect(started).toEqual(['l1', 'l2', 'l3', 'q1', 'l4', 'q2'])
})

it('a task that fails gives its permit back', async () => {
  const semaphore = new FairSemaphore({ permits: 1, most: 1 })
  await expect(semaphore.run('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(semaphore.run('one', async () => 'yes')).resolves.toBe('yes')
})

it('the last of those who waited leaves its permit to whoever comes', async () => {
  const { started, run, end, runs } = tasks(new FairSemaphore({ permits: 1, most: 1 }))
  for (const name of ['a', 'b']) run(name, name)
  for (const name of ['a', 'b']) await end(name)
  run('c', 'c')
  expect(started).toEqual(['a', 'b', 'c'])
  await end('c')
  await Promise.all(runs)
})
