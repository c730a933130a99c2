import { expect, it } from 'vitest'
import { checkIssuer } from './issuer.ts'

const OURS = 'https://bank.example'

it.each([
  [{ iss: OURS }, OURS, true],
  [{ iss: OURS }, OURS, false],
  // A server that does not say that it names itself.
  [{}, OURS, false],
  // No issuer is known to compare with.
  [{ iss: 'https://elsewhere.example' }, null, false],
])('%j is accepted from %s (always sent: %s)', (query, issuer, isAlwaysSent) => {
  expect(() => checkIssuer(query, { issuer, isAlwaysSent })).not.toThrow()
})

it.each([
  [{ iss: 'https://elsewhere.example' }, false],
  [{ iss: `${OURS}/` }, false],
  [{ iss: '' }, false],
  [{}, true],
])('%j is refused (always sent: %s)', (query: Record<string, string>, isAlwaysSent) => {
  expect(() => checkIssuer(query, { issuer: OURS, isAlwaysSent })).toThrow('the answer is that of another issuer')
})
