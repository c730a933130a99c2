import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWebhookHarness, type Receiver, type WebhookHarness } from '../../test/webhooks/harness.ts'
import { listSecrets, promoteSecret, retireSecrets, revokeSecrets, rotateSecret } from './secrets.ts'
import { verifyBody, verifyWebhook } from './verify.ts'

const HOUR = 3_600_000
let bench: WebhookHarness
let receiver: Receiver
let id = ''
let first = ''

beforeEach(async () => {
  bench = await openWebhookHarness()
  receiver = await bench.receive()
  const subscription = await bench.subscribeTo(receiver.url)
  id = subscription.id
  first = subscription.secret
})
afterEach(() => bench.close())

/** Delivers one event and checks it as a receiver with `secret` would. */
async function acceptedWith(...secrets: string[]): Promise<{ body: boolean[]; headers: boolean[] }> {
  await bench.raise()
  await bench.dispatcher.runOnce()
  const got = receiver.received.at(-1) ?? { headers: {} as Record<string, string>, body: '' }
  const at = new Date(Number(got.headers['webhook-timestamp']) * 1000)
  return {
    body: secrets.map((secret) => verifyBody(got.body, secret)),
    headers: secrets.map((secret) => verifyWebhook(got.headers, got.body, secret, at)),
  }
}

async function rotated(): Promise<string> {
  return (await rotateSecret(bench.deps, bench.instanceId, id))?.secret ?? ''
}

function hoursBetween(from: Date | undefined, to: Date | null | undefined): number {
  return Math.round(((to?.getTime() ?? Number.NaN) - (from?.getTime() ?? Number.NaN)) / HOUR)
}

describe('a new secret', () => {
  test('signs headers at once and bodies when promoted, and the old one goes on in headers', async () => {
    const second = await rotated()
    expect(await acceptedWith(first, second)).toEqual({ body: [true, false], headers: [true, true] })
    await promoteSecret(bench.deps, bench.instanceId, id)
    expect(await acceptedWith(first, second)).toEqual({ body: [false, true], headers: [true, true] })
  })

  test('promotes itself after a day, and a day later the old one ends', async () => {
    const second = await rotated()
    bench.travel(23 * HOUR)
    expect((await acceptedWith(first, second)).body).toEqual([true, false])
    bench.travel(2 * HOUR)
    expect(await acceptedWith(first, second)).toEqual({ body: [false, true], headers: [true, true] })
    bench.travel(24 * HOUR)
    expect(await acceptedWith(first, second)).toEqual({ body: [false, true], headers: [false, true] })
  })

  test('that is promoted without grace ends the old one at once', async () => {
    const second = await rotated()
    await promoteSecret(bench.deps, bench.instanceId, id, 0)
    expect(await acceptedWith(first, second)).toEqual({ body: [false, true], headers: [false, true] })
  })

  test('made by revoking is the only one from then on', async () => {
    const second = await rotated()
    const third = (await revokeSecrets(bench.deps, bench.instanceId, id))?.secret ?? ''
    expect(await acceptedWith(first, second, third)).toEqual({ body: [false, false, true], headers: [false, false, true] })
    expect(await listSecrets(bench.deps, bench.instanceId, id)).toMatchObject([{ signs: 'bodyAndHeaders', expiresAt: null }])
  })

  test('of one subscription signs nothing that goes to another of the same instance', async () => {
    const neighbour = await bench.receive()
    const { secret: other } = await bench.subscribeTo(neighbour.url)
    await bench.raise()
    await bench.dispatcher.runOnce()
    const accepted = [receiver, neighbour].map(({ received: [got] }) => {
      const { headers = {}, body = '' } = got ?? {}
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      return [first, other].map((secret) => [verifyBody(body, secret), verifyWebhook(headers, body, secret, at)])
    })
    expect(accepted).toEqual([
      [
        [true, true],
        [false, false],
      ],
      [
        [false, false],
        [true, true],
      ],
    ])
  })

  test('cannot be made while one waits, nor promoted while none does', async () => {
    await expect(promoteSecret(bench.deps, bench.instanceId, id)).rejects.toMatchObject({ reason: 'noWaitingSecret' })
    await rotated()
    await expect(rotated()).rejects.toMatchObject({ reason: 'rotationUnderWay' })
  })

  test('cannot be made while five live', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await rotated()
      await promoteSecret(bench.deps, bench.instanceId, id, 168)
    }
    expect(await listSecrets(bench.deps, bench.instanceId, id)).toHaveLength(5)
    await expect(rotated()).rejects.toMatchObject({ reason: 'tooManySecrets' })
  })

  test.each([-1, 169, Number.NaN])('cannot have a grace of %s hours', async (hours) => {
    await expect(rotateSecret(bench.deps, bench.instanceId, id, hours)).rejects.toThrow(RangeError)
  })

  test.each([
    [undefined, 24],
    [0, 0],
    [168, 168],
  ])('with a grace of %s hours lets the old one sign headers for %i hours after it has started with bodies', async (grace, hours) => {
    const second = await rotateSecret(bench.deps, bench.instanceId, id, grace)
    const [old, fresh] = await listSecrets(bench.deps, bench.instanceId, id)
    expect([old?.signs, fresh?.signs, fresh?.expiresAt]).toEqual(['bodyAndHeaders', 'headers', null])
    expect(fresh?.activeFrom).toEqual(second?.activeFrom)
    expect(hoursBetween(old?.activeFrom, fresh?.activeFrom)).toBe(24)
    expect(hoursBetween(fresh?.activeFrom, old?.expiresAt)).toBe(hours)
    const promoted = await promoteSecret(bench.deps, bench.instanceId, id, grace)
    const [current, ...others] = await listSecrets(bench.deps, bench.instanceId, id)
    expect([current?.id, current?.activeFrom]).toEqual([fresh?.id, promoted?.activeFrom])
    expect(others.map(({ expiresAt }) => hoursBetween(promoted?.activeFrom, expiresAt))).toEqual(hours === 0 ? [] : [hours])
  })

  test('that waits stays when older ones are retired, and retires the older one once it is promoted', async () => {
    const neighbour = await bench.subscribeTo((await bench.receive()).url)
    const second = await rotated()
    expect(await retireSecrets(bench.deps, bench.instanceId, id)).toBe(0)
    expect(await listSecrets(bench.deps, bench.instanceId, id)).toHaveLength(2)
    await promoteSecret(bench.deps, bench.instanceId, id)
    expect(await retireSecrets(bench.deps, bench.instanceId, id)).toBe(1)
    expect(await listSecrets(bench.deps, bench.instanceId, id)).toHaveLength(1)
    expect(await listSecrets(bench.deps, bench.instanceId, neighbour.id)).toHaveLength(1)
    expect((await acceptedWith(first, second)).headers).toEqual([false, true])
  })

  test('is sealed for its own row and column, so that it can be sealed again under another key', async () => {
    const { rows } = await bench.test.database.query<{ id: string; sealed: Buffer }>('select id, sealed from subscription_secrets')
    const [{ id: rowId, sealed } = { id: '', sealed: Buffer.alloc(0) }] = rows
    const place = { instanceId: bench.instanceId, table: 'subscription_secrets', rowId, column: 'sealed' }
    expect(`whsec_${Buffer.from(bench.deps.sealer.open(place, sealed)).toString('base64')}`).toBe(first)
  })

  test('deletes those that have expired', async () => {
    await rotated()
    await promoteSecret(bench.deps, bench.instanceId, id, 0)
    await rotated()
    const { rows } = await bench.test.database.query('select from subscription_secrets')
    expect(rows).toHaveLength(2)
  })

  test('of a subscription of another instance is not made', async () => {
    const other = await bench.newInstance()
    expect(await rotateSecret(bench.deps, other, id)).toBeNull()
    expect(await promoteSecret(bench.deps, other, id)).toBeNull()
    expect(await revokeSecrets(bench.deps, other, id)).toBeNull()
    expect(await retireSecrets(bench.deps, other, id)).toBeNull()
    expect(await listSecrets(bench.deps, other, id)).toEqual([])
  })

  test('that is rotated, promoted and rotated again under load is never refused by a receiver that follows', async () => {
    const known = [first]
    bench.dispatcher.start()
    for (let turn = 0; turn < 3; turn += 1) {
      for (let burst = 0; burst < 10; burst += 1) await bench.raise()
      known.push(await rotated())
      for (let burst = 0; burst < 10; burst += 1) await bench.raise()
      await promoteSecret(bench.deps, bench.instanceId, id)
    }
    await receiver.reached(60)
    const refused = receiver.received.filter(
      ({ body, headers }) =>
        !known.some((secret) => verifyBody(body, secret)) || !known.some((secret) => verifyWebhook(headers, body, secret)),
    )
    expect(refused).toEqual([])
  })
})
