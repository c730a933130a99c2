import { expect, test } from 'vitest'
import { Conflict, InvalidCallbackUrl, UnknownEvent } from '../../src/webhooks/errors.ts'

test.each([
  [new Conflict('noWaitingSecret'), 'Conflict', 'no new secret is waiting; rotate first'],
  [new InvalidCallbackUrl('callbackUrl is no absolute URL'), 'InvalidCallbackUrl', 'callbackUrl is no absolute URL'],
  [new UnknownEvent(), 'UnknownEvent', 'no such event'],
])('%s is an error with the name and words of its kind', (error, name, message) => {
  expect([error instanceof Error, String(error)]).toEqual([true, `${name}: ${message}`])
})
