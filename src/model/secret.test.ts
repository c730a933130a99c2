import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

const secret = new Secret('canary-71c2')

test.each([
  ['a template', `${secret}`],
  ['concatenation', `value: ${String(secret)}`],
  ['JSON', JSON.stringify({ nested: [{ secret }] })],
  ['inspection', inspect({ nested: { secret } }, { depth: 9, showHidden: true })],
  ['its own keys', JSON.stringify(Object.entries({ ...secret }))],
  ['an error', String(new Error(`failed with ${secret}`))],
])('a secret does not show in %s', (_name, text) => {
  expect(text).not.toContain('canary')
})

test('a secret is revealed on request', () => {
  expect(secret.reveal()).toBe('canary-71c2')
})
