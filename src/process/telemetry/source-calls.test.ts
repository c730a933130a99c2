import { expect, it } from 'vitest'
import { observeSourceCalls } from './source-calls.ts'

it('calls to a source are counted by their status, and those without an answer too', async () => {
  const counted: [string, number | null][] = []
  const observe = observeSourceCalls({ countSourceCall: (...call) => counted.push(call) })
  const call = { connectorKey: 'plaid', method: 'GET', host: 'api' }
  const answer = { status: 429, headers: {}, body: new Uint8Array() }
  expect(await observe(call, async () => answer)).toBe(answer)
  await expect(observe(call, () => Promise.reject(new Error('cut')))).rejects.toThrow('cut')
  expect(counted).toEqual([
    ['plaid', 429],
    ['plaid', null],
  ])
})
