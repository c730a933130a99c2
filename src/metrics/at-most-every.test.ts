import { expect, it } from 'vitest'
import { atMostEvery } from './at-most-every.ts'

it('what was read is read again only after the wait', async () => {
  let reads = 0
  const read = atMostEvery(Number.POSITIVE_INFINITY, async () => {
    reads += 1
  })
  await read()
  await read()
  expect(reads).toBe(1)
})

it('what failed is read again at once', async () => {
  let reads = 0
  const read = atMostEvery(Number.POSITIVE_INFINITY, async () => {
    reads += 1
    if (reads === 1) throw new Error('away')
  })
  await expect(read()).rejects.toThrow('away')
  await read()
  expect(reads).toBe(2)
})

it('two who ask at one time wait for one reading', async () => {
  let reads = 0
  const read = atMostEvery(0, async () => {
    reads += 1
    await new Promise((resolve) => setImmediate(resolve))
  })
  await Promise.all([read(), read()])
  expect(reads).toBe(1)
})
