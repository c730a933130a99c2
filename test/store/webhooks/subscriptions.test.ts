import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../../src/store/db/database.ts'
import { hasAuditSubscription } from '../../../src/store/webhooks/audit-events.ts'
import {
  activateSecret,
  deleteOlderSecrets,
  deleteSecrets,
  expireOtherSecrets,
  insertSecret,
  listUnexpiredSecrets,
} from '../../../src/store/webhooks/subscription-secrets.ts'
import {
  countDisabled,
  deleteSubscription,
  disableSubscription,
  enableSubscription,
  findSubscription,
  insertSubscription,
  isTaken,
  listSubscriptions,
  lockSubscription,
  type SubscriptionTarget,
  writeTarget,
} from '../../../src/store/webhooks/subscriptions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { listColumn, setColumns, storeTenants } from '../stored.ts'

const test = databaseForTests()
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  ;({ instanceId, otherId } = await storeTenants(test.database))
})

const target = (more: Partial<SubscriptionTarget> = {}): SubscriptionTarget => ({
  ...{ event: 'NormalizedData', callbackUrl: 'https://a.example/hook', ...more },
})

async function store(more: Partial<SubscriptionTarget> = {}, of = instanceId): Promise<string> {
  const id = randomUUID()
  await insertSubscription(test.database, of, id, target(more))
  return id
}

const active = {
  ...{ status: 'active', disabledReason: null, disabledAt: null, failingSince: null, failureCount: 0, createdAt: expect.any(Date) },
}

describe('a subscription', () => {
  it('is stored once for an event and an address, and found in its instance only', async () => {
    const { database } = test
    const id = randomUUID()
    const stored = { id, ...target(), ...active }
    expect(await insertSubscription(database, instanceId, id, target())).toEqual(stored)
    expect(await insertSubscription(database, instanceId, randomUUID(), target())).toBe(null)
    for (const find of [findSubscription, lockSubscription]) {
      expect(await find(database, instanceId, id)).toEqual(stored)
      expect([await find(database, otherId, id), await find(database, instanceId, randomUUID())]).toEqual([null, null])
    }
    const [second, third] = [await store({ event: 'RawData' }), await store({ callbackUrl: 'https://a.example/other' })]
    await store({}, otherId)
    expect((await listSubscriptions(database, instanceId)).map((each) => each.id)).toEqual([id, second, third])
  })

  it.each<[string, Partial<SubscriptionTarget>, boolean]>([
    ['the same event and address', {}, true],
    ['another event', { event: 'RawData' }, false],
    ['another address', { callbackUrl: 'https://a.example/hook/' }, false],
  ])('takes %s: %s', async (_what, more, isExpected) => {
    const { database } = test
    const id = await store()
    expect(await isTaken(database, instanceId, randomUUID(), target(more))).toBe(isExpected)
    expect([await isTaken(database, instanceId, id, target(more)), await isTaken(database, otherId, randomUUID(), target(more))]).toEqual([
      false,
      false,
    ])
  })

  it('forgets its failures with its address, and not with its event', async () => {
    const { database } = test
    const id = await store()
    const failed = { failing_since: `'2026-11-20T12:00:00Z'`, failure_count: '3', paused_until: `'2026-11-21T12:00:00Z'` }
    await setColumns(database, 'subscriptions', { instanceId, id }, failed)
    const failingSince = new Date('2026-11-20T12:00:00Z')
    const kept = { id, ...active, failingSince, failureCount: 3, event: 'RawData', callbackUrl: target().callbackUrl }
    expect(await writeTarget(database, instanceId, id, target({ event: 'RawData' }))).toEqual(kept)
    expect(await listColumn(database, 'subscriptions', 'paused_until', instanceId)).toEqual([new Date('2026-11-21T12:00:00Z')])
    const moved = target({ callbackUrl: 'https://b.example/' })
    expect(await writeTarget(database, instanceId, id, moved)).toEqual({ id, ...moved, ...active })
    expect(await listColumn(database, 'subscriptions', 'paused_until', instanceId)).toEqual([null])
    expect([await writeTarget(database, otherId, id, target()), (await findSubscription(database, instanceId, id))?.callbackUrl]).toEqual([
      null,
      'https://b.example/',
    ])
  })

  it('is disabled once, says since when and where, and begins anew when it is enabled', async () => {
    const { database } = test
    const [id, untouched] = [await store(), await store({ event: 'RawData' })]
    await setColumns(database, 'subscriptions', { instanceId, id }, { failing_since: 'now()', failure_count: '9', paused_until: 'now()' })
    expect([await enableSubscription(database, instanceId, id), await disableSubscription(database, otherId, id, 'gone', '7')]).toEqual([
      null,
      false,
    ])
    expect(await disableSubscription(database, instanceId, id, 'gone', '7')).toBe(true)
    expect(await disableSubscription(database, instanceId, id, 'failing', '8')).toBe(false)
    const disabled = { status: 'disabled', disabledReason: 'gone', disabledAt: expect.any(Date), failureCount: 9 }
    expect(await findSubscription(database, instanceId, id)).toMatchObject(disabled)
    expect([await enableSubscription(database, otherId, id), await enableSubscription(database, instanceId, randomUUID())]).toEqual([
      null,
      null,
    ])
    expect([await enableSubscription(database, instanceId, id), await enableSubscription(database, instanceId, id)]).toEqual(['7', null])
    expect(await findSubscription(database, instanceId, id)).toEqual({ id, ...target(), ...active })
    expect(await listColumn(database, 'subscriptions', 'paused_until', instanceId)).toEqual([null, null])
    expect((await findSubscription(database, instanceId, untouched))?.status).toBe('active')
  })

  it('counts among the disabled ones of all instances, by reason', async () => {
    const { database } = test
    await database.query('delete from subscriptions')
    expect(await countDisabled(database)).toEqual([])
    const ids = [await store(), await store({ event: 'RawData' }), await store({ event: 'ReadyToUseData' })]
    for (const [n, id] of ids.slice(1).entries()) await disableSubscription(database, instanceId, id, n === 0 ? 'gone' : 'failing', '0')
    await disableSubscription(database, otherId, await store({}, otherId), 'gone', '0')
    expect((await countDisabled(database)).toSorted((a, b) => b.count - a.count)).toEqual([
      { reason: 'gone', count: 2 },
      { reason: 'failing', count: 1 },
    ])
  })

  it('is deleted with its secrets and deliveries, and no other one’s', async () => {
    const { database } = test
    const [id, kept] = [await store(), await store({ event: 'RawData' })]
    for (const subscriptionId of [id, kept]) {
      await insertSecret(database, instanceId, { id: randomUUID(), subscriptionId, sealed: Buffer.from('s'), activeAfterMs: 0 })
      await database.query(`insert into deliveries (instance_id, event_id, subscription_id, kind) values ($1, $2, $3, 'RawData')`, [
        ...[instanceId, randomUUID(), subscriptionId],
      ])
    }
    const remove = (of: string) => inTransaction(database, (db) => deleteSubscription(db, of, id))
    expect([await remove(otherId), await remove(instanceId), await remove(instanceId)]).toEqual([false, true, false])
    for (const table of ['deliveries', 'subscription_secrets'])
      expect(await listColumn(database, table, 'subscription_id', instanceId)).toEqual([kept])
    expect((await listSubscriptions(database, instanceId)).map((each) => each.id)).toEqual([kept])
  })

  it('to audit entries is known besides the one that asks', async () => {
    const { database } = test
    expect(await hasAuditSubscription(database, instanceId, randomUUID())).toBe(false)
    await store()
    const id = await store({ event: 'AuditEntry' })
    expect([
      await hasAuditSubscription(database, instanceId, randomUUID()),
      await hasAuditSubscription(database, instanceId, id),
      await hasAuditSubscription(database, otherId, randomUUID()),
    ]).toEqual([true, false, false])
  })
})

describe('secrets of a subscription', () => {
  const secret = (subscriptionId: string, activeAfterMs = 0) => ({
    ...{ id: randomUUID(), subscriptionId, sealed: Buffer.from(`sealed ${activeAfterMs}`), activeAfterMs },
  })
  const list = (ids: string[], aheadMs?: number, of = instanceId) => listUnexpiredSecrets(test.database, of, ids, aheadMs)

  it('sign bodies one at a time: the newest that has begun', async () => {
    const { database } = test
    const id = await store()
    const [old, current, announced] = [secret(id, -60_000), secret(id), secret(id, 60_000)]
    const begins: Date[] = []
    for (const each of [old, current, announced]) begins.push(await insertSecret(database, instanceId, each))
    const shown = (each: typeof old, activeFrom: Date | undefined, isCurrent: boolean) => ({
      ...{ id: each.id, subscriptionId: id, sealed: each.sealed, activeFrom, expiresAt: null, isCurrent },
    })
    const [first, second, third] = begins
    expect(await list([id])).toEqual([shown(current, second, true), shown(announced, third, false), shown(old, first, false)])
    expect((await list([id], 61_000)).map((each) => [each.id, each.isCurrent])).toEqual([
      [announced.id, true],
      [current.id, false],
      [old.id, false],
    ])
    expect([await list([id], 0, otherId), await list([])]).toEqual([[], []])
  })

  it('can be announced alone, and then sign no body yet', async () => {
    const id = await store()
    await insertSecret(test.database, instanceId, secret(id, 60_000))
    expect((await list([id])).map(({ isCurrent }) => isCurrent)).toEqual([false])
  })

  it('of several subscriptions are told apart', async () => {
    const ids = [await store(), await store({ event: 'RawData' })]
    for (const id of ids) await insertSecret(test.database, instanceId, secret(id))
    expect((await list(ids)).map(({ subscriptionId, isCurrent }) => [subscriptionId, isCurrent])).toEqual(
      ids.toSorted().map((id) => [id, true]),
    )
  })

  it('are activated at once; an unknown one is an error', async () => {
    const { database } = test
    const id = await store()
    const [current, announced] = [secret(id), secret(id, 60_000)]
    await insertSecret(database, instanceId, current)
    const planned = await insertSecret(database, instanceId, announced)
    const begun = await activateSecret(database, instanceId, announced.id)
    expect(begun.getTime()).toBeLessThan(planned.getTime())
    expect((await list([id]))[0]).toMatchObject({ id: announced.id, activeFrom: begun, isCurrent: true })
    await expect(activateSecret(database, otherId, announced.id)).rejects.toThrow('the secret is gone')
  })

  it('expire but for one, at the earlier of two times, and expired ones are not listed', async () => {
    const { database } = test
    const [id, another] = [await store(), await store({ event: 'RawData' })]
    const [old, kept, ofAnother] = [secret(id, -1_000), secret(id), secret(another)]
    for (const each of [old, kept, ofAnother]) await insertSecret(database, instanceId, each)
    const expiry = async () => (await list([id])).find((each) => each.id === old.id)?.expiresAt
    await expireOtherSecrets(database, otherId, id, kept.id, 60_000)
    expect(await expiry()).toBe(null)
    await expireOtherSecrets(database, instanceId, id, kept.id, 60_000)
    const first = await expiry()
    expect(first).toEqual(expect.any(Date))
    await expireOtherSecrets(database, instanceId, id, kept.id, 120_000)
    expect(await expiry()).toEqual(first)
    expect((await list([id, another])).filter(({ expiresAt }) => expiresAt === null).map((each) => each.id)).toEqual(
      expect.arrayContaining([kept.id, ofAnother.id]),
    )
    expect((await list([id], 61_000)).map((each) => each.id)).toEqual([kept.id])
    await expireOtherSecrets(database, instanceId, id, kept.id, 0)
    expect((await list([id])).map((each) => each.id)).toEqual([kept.id])
  })

  it('that signed before another are deleted, and counted', async () => {
    const { database } = test
    const [id, another] = [await store(), await store({ event: 'RawData' })]
    const [old, kept, announced, ofAnother] = [secret(id, -1_000), secret(id), secret(id, 60_000), secret(another, -5_000)]
    for (const each of [old, kept, announced, ofAnother]) await insertSecret(database, instanceId, each)
    expect([
      await deleteOlderSecrets(database, otherId, id, kept.id),
      await deleteOlderSecrets(database, instanceId, id, old.id),
      await deleteOlderSecrets(database, instanceId, id, kept.id),
      await deleteOlderSecrets(database, instanceId, id, kept.id),
    ]).toEqual([0, 0, 1, 0])
    expect((await list([id, another])).map((each) => each.id).toSorted()).toEqual([kept.id, announced.id, ofAnother.id].toSorted())
  })

  it('are deleted when they have expired, and all others where one is kept', async () => {
    const { database } = test
    const [id, another] = [await store(), await store({ event: 'RawData' })]
    const [old, kept, announced, ofAnother] = [secret(id, -1_000), secret(id), secret(id, 60_000), secret(another)]
    for (const each of [old, kept, announced, ofAnother]) await insertSecret(database, instanceId, each)
    await setColumns(database, 'subscription_secrets', { instanceId, id: old.id }, { expires_at: `now() - interval '1 second'` })
    const left = () => listColumn(database, 'subscription_secrets', 'id', instanceId)
    await deleteSecrets(database, otherId, id, null)
    expect(await left()).toHaveLength(4)
    await deleteSecrets(database, instanceId, id, null)
    expect(await left()).toEqual([kept.id, announced.id, ofAnother.id].toSorted())
    await deleteSecrets(database, instanceId, id, kept.id)
    expect(await left()).toEqual([kept.id, ofAnother.id].toSorted())
  })
})
