import { expect, it } from 'vitest'
import { RecordPace, type Timer } from './record-pace.ts'

/** Time that passes by waiting only. */
class FakeTimer implements Timer {
  time = 1_000
  readonly waits: number[] = []

  nowMs(): number {
    return this.time
  }

  async wait(ms: number): Promise<void> {
    this.waits.push(ms)
    this.time += ms
  }
}

it('spreads reads evenly', async () => {
  const timer = new FakeTimer()
  const pace = new RecordPace(timer, 1_000)
  const startedMs = timer.time
  for (let read = 0; read < 100; read++) await pace.admit(100)
  // What is caught up for at the start, and nothing after it: one read each 100 ms.
  expect(timer.waits).toEqual([50, ...Array.from({ length: 96 }, () => 100)])
  expect(timer.time - startedMs).toBe(9_650)
})

it('catches up with a slow piece, for a quarter of a second at most', async () => {
  const timer = new FakeTimer()
  const pace = new RecordPace(timer, 1_000)
  for (let read = 0; read < 10; read++) await pace.admit(100)
  timer.waits.length = 0
  timer.time += 60_000
  for (let read = 0; read < 4; read++) await pace.admit(100)
  expect(timer.waits).toEqual([50])
})

it('gives several exports the pace of one', async () => {
  const timer = new FakeTimer()
  const pace = new RecordPace(timer, 1_000)
  const startedMs = timer.time
  await Promise.all(Array.from({ length: 8 }, () => pace.admit(250)))
  expect(timer.time - startedMs).toBe(1_500)
})
