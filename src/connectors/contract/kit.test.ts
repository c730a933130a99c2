import { expect, it } from 'vitest'
import { SourceError } from './contract.ts'

it('a failure at a source keeps its cause, and has none of its own', () => {
  const cause = new Error('a reason')
  const [withCause, without] = [new SourceError('badData', 'no', { cause }), new SourceError('badData', 'no')]
  expect([withCause.name, withCause.cause, 'cause' in without, without.reason, without.retryAfterMs, without.isClientRefused]).toEqual([
    ...['SourceError', cause, false, null, null, false],
  ])
})
