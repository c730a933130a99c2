import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { listSecrets, promoteSecret, retireSecrets, rotateSecret } from '../../src/webhooks/secrets.ts'
import { verifyBody, verifyWebhook } from '../../src/webhooks/verify.ts'
import { openWebhookHarness, type Receiver, type WebhookHarness } from './harness.ts'

/**
 * What a receiver verifies: headers with the one secret that it knows, or the body with each that may have signed it.
 */
const KINDS = ['headers, changes early', 'headers, changes late', 'body'] as const
type Kind = (typeof KINDS)[number]

interface Strict {
  kind: Kind
  id: string
  /** Secrets that it knows; anything signed with none of them is refused. */
  known: string[]
  receiver: Receiver
  refused: number
}

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

test('a change returns only when nothing that was signed before it is still in flight', async () => {
  const looked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  // An attempt that has its signature and waits for the address of its receiver.
  const egress = createEgress({
    allowPrivate: true,
    lookup: async () => {
      looked.resolve()
      await found.promise
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const dispatcher = new Dispatcher({ ...harness.deps, egress, log })
  const receiver = await harness.receive()
  const { id } = await harness.subscribeTo(receiver.url.replace('127.0.0.1', 'receiver.example'))
  await harness.raise()
  const sending = dispatcher.runOnce()
  await looked.promise
  let hasReturned = false
  const rotating = rotateSecret(harness.deps, harness.instanceId, id).then(() => {
    hasReturned = true
    return receiver.received.length
  })
  while ((await listSecrets(harness.deps, harness.instanceId, id)).length < 2);
  // Time for the answer, if it did not wait.
  for (let turn = 0; turn < 20; turn += 1) await harness.test.database.query('select 1')
  expect(hasReturned).toBe(false)
  found.resolve()
  expect(await rotating).toBe(1)
  await sending
  await egress.close()
})

async function openStrict(kind: Kind): Promise<Strict> {
  const strict: Strict = {
    kind,
    id: '',
    known: [],
    refused: 0,
    receiver: await harness.receive((request, response) => {
      const check =
        kind === 'body'
          ? verifyBody(request.body, strict.known[0] ?? '') || verifyBody(request.body, strict.known[1] ?? '')
          : verifyWebhook(request.headers, request.body, strict.known[0] ?? '')
      if (!check) strict.refused += 1
      response.writeHead(check ? 200 : 401).end()
    }),
  }
  const { id, secret } = await harness.subscribeTo(strict.receiver.url)
  return Object.assign(strict, { id, known: [secret] })
}

describe('a secret that is rotated, promoted and retired while events are sent continuously', () => {
  test('costs no strict receiver a single delivery', async () => {
    const all = await Promise.all(KINDS.map(openStrict))
    harness.dispatcher.start()
    let isBusy = true
    let raised = 0
    const traffic = async (): Promise<void> => {
      while (isBusy) {
        await harness.raise()
        raised += 1
        await harness.test.database.query('select pg_sleep(0.02)')
      }
    }
    /** Sends some events in the current state. */
    const some = async (): Promise<void> => {
      const wanted = (all[0]?.receiver.received.length ?? 0) + 8
      await Promise.all(all.map(({ receiver }) => receiver.reached(wanted)))
    }
    const flowing = traffic()
    for (let turn = 0; turn < 3; turn += 1) {
      await some()
      for (const strict of all) {
        const fresh = (await rotateSecret(harness.deps, harness.instanceId, strict.id))?.secret ?? ''
        // After the response a receiver of headers may know the new secret alone, or still the old one; a body may be
        // signed with either.
        strict.known = strict.kind === 'headers, changes early' ? [fresh] : [strict.known[0] ?? '', fresh]
      }
      await some()
      for (const strict of all) {
        await promoteSecret(harness.deps, harness.instanceId, strict.id)
        if (strict.kind === 'body') strict.known = strict.known.slice(1)
      }
      await some()
      for (const strict of all) {
        if (strict.kind === 'headers, changes late') strict.known = strict.known.slice(1)
        expect(await retireSecrets(harness.deps, harness.instanceId, strict.id)).toBe(1)
      }
    }
    isBusy = false
    await flowing
    await Promise.all(all.map(({ receiver }) => receiver.reached(raised)))
    expect(all.map(({ refused, receiver }) => [refused, receiver.received.length])).toEqual(KINDS.map(() => [0, raised]))
  })
})
