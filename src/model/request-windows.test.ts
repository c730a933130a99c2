import { beforeEach, expect, it } from 'vitest'
import { RequestWindows } from './request-windows.ts'

const LENGTH_MS = 60_000
let ended: [string, number][]
let windows: RequestWindows

beforeEach(() => {
  ended = []
  windows = new RequestWindows(LENGTH_MS, (key, count) => ended.push([key, count]))
})

it('a window is the same until its end, and another for each key', () => {
  const first = windows.at('a', 1_000)
  expect(first).toEqual({ count: 0, endsAtMs: 61_000 })
  first.count = 3
  expect(windows.at('a', 60_999)).toBe(first)
  expect(windows.at('b', 60_999)).not.toBe(first)
  expect(ended).toEqual([])
})

it('at its end a window is told with its count, and replaced', () => {
  windows.at('a', 1_000).count = 3
  expect(windows.at('a', 61_000)).toEqual({ count: 0, endsAtMs: 121_000 })
  expect(ended).toEqual([['a', 3]])
})

it('a clock that is put back ends a window', () => {
  windows.at('a', 100_000).count = 2
  expect(windows.at('a', 99_999)).toEqual({ count: 0, endsAtMs: 159_999 })
  expect(ended).toEqual([['a', 2]])
})

it('those that are over are told once and dropped, the others are there', () => {
  windows.at('old', 0).count = 1
  const other = windows.at('new', 1)
  expect([...windows.current(LENGTH_MS)]).toEqual([['new', other]])
  expect([...windows.current(LENGTH_MS)]).toEqual([['new', other]])
  expect(ended).toEqual([['old', 1]])
})

it('of 50,000 the ones that are over make room, and all of them where none is over', () => {
  for (let at = 0; at < 50_000; at += 1) windows.at(`key ${at}`, at < 2 ? 0 : 1)
  expect(windows.current(2).size).toBe(50_000)
  windows.at('one more', LENGTH_MS)
  expect(ended.map(([key]) => key)).toEqual(['key 0', 'key 1'])
  expect(windows.current(2).size).toBe(49_999)
  windows.at('the last', 2)
  expect(windows.current(2).size).toBe(50_000)
  windows.at('too many', 2)
  expect([...windows.current(2).keys()]).toEqual(['too many'])
})

it('a window of a known key needs no room', () => {
  for (let at = 0; at < 50_000; at += 1) windows.at(`key ${at}`, 0)
  const known = windows.at('key 7', 1)
  expect(windows.at('key 7', 1)).toBe(known)
  expect(windows.current(1).size).toBe(50_000)
})

it('nobody needs to be told', () => {
  const untold = new RequestWindows(LENGTH_MS)
  untold.at('a', 0)
  expect(untold.at('a', LENGTH_MS).count).toBe(0)
  expect(untold.current(2 * LENGTH_MS).size).toBe(0)
})
