import { expect, it } from 'vitest'
import { toDomain } from './sign-in-options.ts'

it.each([
  ['Maple.Example', 'maple.example'],
  ['  maple.example ', 'maple.example'],
  ['ÉRABLE.example', 'xn--rable-9ra.example'],
  ['xn--rable-9ra.EXAMPLE', 'xn--rable-9ra.example'],
  [' Not A Domain ', 'not a domain'],
  ['', ''],
])('the domain %j is compared as %j', (text, domain) => {
  expect(toDomain(text)).toBe(domain)
})
