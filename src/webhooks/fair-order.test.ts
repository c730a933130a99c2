import { expect, test } from 'vitest'
import { roundRobinFrom } from './dispatcher.ts'

test.each([
  ['', ['a', 'b', 'c']],
  ['a', ['b', 'c', 'a']],
  ['b', ['c', 'a', 'b']],
  ['c', ['a', 'b', 'c']],
  ['bb', ['c', 'a', 'b']],
])('instances are served in a ring that begins behind the one served last (%j)', (last, ring) => {
  expect(roundRobinFrom(['c', 'a', 'b'], last)).toEqual(ring)
})
