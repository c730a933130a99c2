import Fastify from 'fastify'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { flushWhileOpen } from './flushes.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('counts that begin at different times are written together, and what is left when the server closes', async () => {
  const app = Fastify()
  const written: string[] = []
  const noteAs = (name: string) => async () => void written.push(`${name} at ${Math.round(performance.now())}`)
  vi.advanceTimersByTime(1_100)
  flushWhileOpen(app, 10_000, noteAs('one'), 'failed')
  vi.advanceTimersByTime(2_300)
  flushWhileOpen(app, 10_000, noteAs('other'), 'failed')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written).toEqual(['one at 10000', 'other at 10000'])
  await app.close()
  expect(written.slice(2).toSorted()).toEqual(['one at 13400', 'other at 13400'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect(written).toHaveLength(4)
})

it('counts that cannot be written are a warning, and are tried again', async () => {
  const lines: string[] = []
  const app = Fastify({ logger: { stream: { write: (line) => void lines.push(line) } } })
  let attempts = 0
  const fail = async (): Promise<void> => {
    attempts += 1
    throw new Error('no database')
  }
  flushWhileOpen(app, 10_000, fail, 'the counts could not be written')
  await vi.advanceTimersByTimeAsync(20_000)
  await app.close()
  expect(attempts).toBe(3)
  const warned = lines.filter((line) => line.includes('"level":40') && line.includes('the counts could not be written'))
  expect(warned).toHaveLength(3)
})
