import { describe, expect, it } from 'vitest'
import { fetchAhead } from './fetch-ahead.ts'

/** Source whose responses arrive on the test's command. */
function slowSource() {
  const open = new Map<number, { resolve(answer: string): void; reject(error: Error): void }>()
  const asked: number[] = []
  const ask = (item: number) =>
    new Promise<string>((resolve, reject) => {
      asked.push(item)
      open.set(item, { resolve, reject })
    })
  return {
    ask,
    asked,
    answer: (item: number) => open.get(item)?.resolve(`answer ${item}`),
    refuse: (item: number) => open.get(item)?.reject(new Error(`refused ${item}`)),
  }
}

const ITEMS = [0, 1, 2, 3, 4, 5]

describe('asking for several things at once', () => {
  it('gives the answers in the order of the items, in whatever order they come', async () => {
    const source = slowSource()
    const answers = Array.fromAsync(fetchAhead(ITEMS, source.ask))
    for (const item of ITEMS.toReversed()) source.answer(item)
    expect(await answers).toEqual(ITEMS.map((item) => `answer ${item}`))
  })

  it('has no more calls under way than it may', async () => {
    const source = slowSource()
    const answers = fetchAhead(ITEMS, source.ask, { atOnce: 2 })
    const first = answers.next()
    expect(source.asked).toEqual([0, 1])
    source.answer(0)
    await first
    const second = answers.next()
    expect(source.asked).toEqual([0, 1, 2])
    for (const item of [1, 2]) source.answer(item)
    await second
    await answers.return()
  })

  it('asks for the others only when the first answer was taken, where that one may be enough', async () => {
    const source = slowSource()
    const answers = fetchAhead(ITEMS, source.ask, { isFirstAlone: true, atOnce: 3 })
    const first = answers.next()
    expect(source.asked).toEqual([0])
    source.answer(0)
    expect(await first).toEqual({ done: false, value: 'answer 0' })
    expect(source.asked).toEqual([0])
    const second = answers.next()
    expect(source.asked).toEqual([0, 1, 2, 3])
    for (const item of [1, 2, 3]) source.answer(item)
    await second
    await answers.return()
  })

  it('throws a failure in its turn, after the answers before it and when no call is under way any more', async () => {
    const source = slowSource()
    const got: string[] = []
    let isOver = false
    const reading = (async () => {
      for await (const answer of fetchAhead(ITEMS, source.ask, { atOnce: 4 })) got.push(answer)
    })()
    const over = reading.catch((error: unknown) => {
      isOver = true
      return error
    })
    source.refuse(2)
    source.answer(0)
    source.answer(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(got).toEqual(['answer 0', 'answer 1'])
    expect(isOver, 'calls are still under way').toBe(false)
    for (const item of source.asked) source.answer(item)
    expect(await over).toEqual(new Error('refused 2'))
  })

  it('begins nothing more once there is enough, and gives what is under way', async () => {
    const source = slowSource()
    let isEnough = false
    const answers = Array.fromAsync(fetchAhead(ITEMS, source.ask, { atOnce: 3, isEnough: () => isEnough }))
    isEnough = true
    for (const item of ITEMS) source.answer(item)
    expect(await answers).toEqual(['answer 0', 'answer 1', 'answer 2'])
  })
})
