import { domainToASCII } from 'node:url'
import { describe, expect, test } from 'vitest'
import { maskMailAddress, toMailAddress } from './mail-address.ts'

const LOCAL = 'a'.repeat(64)
const LABEL = `${'b'.repeat(61)}.`
/** Of 254 characters: as typed, and in ASCII. */
const LONGEST = `${LOCAL}@${LABEL.repeat(3)}com`
const LONGEST_IN_ASCII = `${LOCAL}@${LABEL.repeat(2)}é${'b'.repeat(53)}.com`
/** Of more than 254 characters as typed, and of fewer in ASCII. */
const LONG_AS_TYPED = `${LOCAL}@${`${'e\u0301'.repeat(50)}.`.repeat(3)}com`

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
    'owner@3m.example',
    'owner@cafe\u0301.example',
    'owner@example.x1',
    'owner@example.1x',
    'owner@a.1.example',
    LONGEST,
    LONGEST_IN_ASCII,
  ])('%s keeps its local part, and its domain in ASCII', (text) => {
    const [local, domain = ''] = text.split('@')
    expect(toMailAddress(text)).toBe(`${local}@${domainToASCII(domain.normalize('NFC'))}`)
  })

  test.each([
    ...['owner@example.12', `${LONGEST}m`, LONG_AS_TYPED, LONGEST_IN_ASCII.replace('é', 'éb')],
    ...['', 'owner', '@example.com', 'owner@', 'owner@localhost', 'owner@127.0.0.1', 'owner@127.0.0.12', 'owner@example.1'],
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
