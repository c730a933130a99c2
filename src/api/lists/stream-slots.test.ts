import { expect, it } from 'vitest'
import { StreamSlots } from './stream-slots.ts'

/** Streams that go on until they are told to end. */
function opened(slots: StreamSlots, instanceId: string): { end: () => void; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { end: resolve, ended: slots.run(instanceId, () => promise) }
}

it('an instance has as many as it may, and another its own', async () => {
  const slots = new StreamSlots({ ofInstance: 2, ofProcess: 3 })
  const [first] = [opened(slots, 'a'), opened(slots, 'a')]
  await expect(slots.run('a', async () => undefined)).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
  const other = opened(slots, 'b')
  await expect(slots.run('c', async () => undefined)).rejects.toMatchObject({ status: 503 })
  first?.end()
  other.end()
  await Promise.all([first?.ended, other.ended])
  expect(await slots.run('a', async () => 'done')).toBe('done')
})

it('one that fails gives its place back', async () => {
  const slots = new StreamSlots({ ofInstance: 1, ofProcess: 1 })
  for (let turn = 0; turn < 3; turn += 1) {
    await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  }
})
