import { describe, expect, test } from 'vitest'
import { maskMailAddress, toMailAddress } from './mail-address.ts'

describe('a mail address', () => {
  test.each([
    [' Owner@Example.COM ', 'Owner@example.com'],
    ['owner@a.example', 'owner@a.example'],
    ['a.b+c@épicerie.example', 'a.b+c@xn--picerie-9xa.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s is %s', (text, wanted) => {
    expect(toMailAddress(text)).toBe(wanted)
  })

  test.each([
    ...['', 'owner', '@example.com', 'owner@', 'owner@localhost', 'owner@127.0.0.1', 'owner@example.1'],
    ...['a..b@example.com', '.a@example.com', 'a.@example.com', '"a b"@example.com', 'a@b@example.com', 'a@example.com,b@example.com'],
    ...['a@-example.com', 'a@example-.com', 'a@exa_mple.com', 'a@example..com', 'a(b)@example.com', 'a@[example.com]'],
    ...[`${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`, `a@${'b.'.repeat(126)}com`],
    // Longer in ASCII than it was typed.
    `${'a'.repeat(64)}@${`é${'b'.repeat(55)}.`.repeat(3)}com`,
  ])('is not %s', (text) => {
    expect(toMailAddress(text)).toBeNull()
  })
})

test.each([
  ['owner@example.com', 'o•••@example.com'],
  ['a@b@example.com', 'a•••@example.com'],
])('%s is shown as %s', (address, wanted) => {
  expect(maskMailAddress(address)).toBe(wanted)
})
