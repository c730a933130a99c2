import { expect, it } from 'vitest'
import { DeliveryMemory } from './delivery-memory.ts'

it('a time is old ten seconds after all entries were looked at, however often a part of them was since', () => {
  const memory = new DeliveryMemory()
  memory.note('a', 'first', false, 0)
  memory.note('a', 'second', false, 9_000)
  expect(memory.toParameters(10_000)).toEqual([['a'], ['second'], [false]])
  expect(memory.toParameters(10_001)).toEqual([['a'], ['-infinity'], [true]])
  memory.note('a', 'third', true, 10_001)
  expect(memory.toParameters(20_001)).toEqual([['a'], ['third'], [false]])
  expect(memory.toParameters(20_002)).toEqual([['a'], ['-infinity'], [true]])
})

it('remembers the 256 subscriptions that were served last', () => {
  const memory = new DeliveryMemory()
  for (let n = 0; n < 256; n += 1) memory.note(`s${n}`, 'x', true, 0)
  memory.note('s0', 'y', true, 0)
  expect(memory.toParameters(0)[0]).toHaveLength(256)
  memory.note('new', 'x', true, 0)
  const [ids] = memory.toParameters(0)
  expect([ids.length, ids.includes('s0'), ids.includes('s1'), ids.includes('s2')]).toEqual([256, true, false, true])
})

it('looks at all waiting events in the first round, and every ten seconds', () => {
  const memory = new DeliveryMemory()
  expect([0, 1, 10_000, 10_001, 20_001, 20_002].map((nowMs) => memory.beginRound(nowMs))).toEqual([
    ...['all', 'recent', 'recent', 'all', 'recent', 'all'],
  ])
})
