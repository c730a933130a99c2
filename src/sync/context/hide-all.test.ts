import { expect, it } from 'vitest'
import { hideAll } from './hide-all.ts'

it.each([
  ['a text', 'one', ['one']],
  ['an object', { password: 'one', key: { passphrase: 'two', lines: ['three', 'four'] } }, ['one', 'two', 'three', 'four']],
  ['what has texts beside other values', { port: 22, isOn: true, none: null, undefined, secret: 'one' }, ['one']],
  ['nothing', null, []],
])('every text of a secret is hidden: %s', (_what, secret, hidden) => {
  const seen: string[] = []
  hideAll((value) => seen.push(value), secret)
  expect(seen).toEqual(hidden)
})
