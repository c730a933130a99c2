import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

const secret = new Secret('canary-71c2')

test.each<[string, () => string]>([
  ['a template', () => `${secret}`],
  ['concatenation', () => `value: ${String(secret)}`],
  ['JSON', () => JSON.stringify({ nested: [{ secret }] })],
  ['inspection', () => inspect({ nested: { secret } }, { depth: 9, showHidden: true })],
  ['an error', () => String(new Error(`failed with ${secret}`))],
])('a secret shows in %s only that it is one', (_name, print) => {
  const text = print()
  expect([text.includes('canary'), text.includes('[secret]')]).toEqual([false, true])
})

test('a secret does not show in its own keys', () => {
  expect(JSON.stringify(Object.entries({ ...secret }))).not.toContain('canary')
})

test('a secret is revealed on request', () => {
  expect(secret.reveal()).toBe('canary-71c2')
})
