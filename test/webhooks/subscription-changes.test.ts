import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AUDIT_EVENT, type SubscribableEvent } from '../../src/model/events.ts'
import { withResourceLock } from '../../src/store/access/resource-locks.ts'
import { QuotaReached } from '../../src/store/operators/quotas.ts'
import { findSubscription, listSubscriptions } from '../../src/store/webhooks/subscriptions.ts'
import { changeSubscription, resumeSubscription, subscribe, suspendSubscription, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { openWebhookHarness } from './harness.ts'

const harness = openForTests(openWebhookHarness)
const newUrl = () => `https://hooks.example.com/${randomUUID()}`

/** An instance whose audit log has `position` entries, of which `forwarded` were sent to its webhooks. */
async function instanceWithLog({ position, forwarded }: { position: number; forwarded: number | null }): Promise<string> {
  const instanceId = await harness.newInstance()
  const { database } = harness.test
  await database.query(
    `insert into audit_chains (instance_id, position, hash, start_hash) values ($1, $2, '\\x00', '\\x00')
     on conflict (instance_id) do update set position = $2`,
    [instanceId, position],
  )
  if (forwarded !== null)
    await database.query(`insert into audit_cursors (instance_id, sink, position) values ($1, 'webhooks', $2)`, [instanceId, forwarded])
  return instanceId
}

/** Position up to which entries count as sent; null when none was ever to be sent. */
async function forwardedOf(instanceId: string): Promise<number | null> {
  const { rows } = await harness.test.database.query<{ position: number }>(
    `select position::int as position from audit_cursors where instance_id = $1 and sink = 'webhooks'`,
    [instanceId],
  )
  return rows[0]?.position ?? null
}

async function deliveriesOf(subscriptionId: string): Promise<number> {
  const { rows } = await harness.test.database.query('select from deliveries where subscription_id = $1', [subscriptionId])
  return rows.length
}

describe('the audit entries that subscriptions get', () => {
  const add = (instanceId: string, event: SubscribableEvent = AUDIT_EVENT, id?: string) =>
    subscribe(harness.deps, instanceId, { event, callbackUrl: newUrl() }, id)

  test('begin with the first subscription to them', async () => {
    const instanceId = await instanceWithLog({ position: 7, forwarded: 2 })
    await add(instanceId)
    expect(await forwardedOf(instanceId)).toBe(7)
  })

  test('begin with the first subscription that is changed to them', async () => {
    const instanceId = await instanceWithLog({ position: 7, forwarded: 2 })
    const { id } = await add(instanceId, 'RawData')
    expect(await forwardedOf(instanceId)).toBe(2)
    await changeSubscription(harness.deps, instanceId, id, { event: AUDIT_EVENT })
    expect(await forwardedOf(instanceId)).toBe(7)
  })

  test('are not skipped when a second subscription is made, or changed to them', async () => {
    const instanceId = await instanceWithLog({ position: 7, forwarded: null })
    await add(instanceId)
    const { id } = await add(instanceId, 'RawData')
    await harness.test.database.query('update audit_chains set position = 9 where instance_id = $1', [instanceId])
    await add(instanceId)
    await changeSubscription(harness.deps, instanceId, id, { event: AUDIT_EVENT })
    expect(await forwardedOf(instanceId)).toBe(7)
  })

  test('are not skipped when the only one is made again after a lost answer, or moves to another address', async () => {
    const instanceId = await instanceWithLog({ position: 7, forwarded: null })
    const { id } = await add(instanceId)
    await harness.test.database.query('update audit_chains set position = 9 where instance_id = $1', [instanceId])
    await add(instanceId, AUDIT_EVENT, id)
    await changeSubscription(harness.deps, instanceId, id, { callbackUrl: newUrl() })
    expect(await forwardedOf(instanceId)).toBe(7)
  })

  test('do not begin with a subscription to something else', async () => {
    const instanceId = await instanceWithLog({ position: 7, forwarded: null })
    const { id } = await add(instanceId, 'RawData')
    await changeSubscription(harness.deps, instanceId, id, { event: 'NormalizedData' })
    expect(await forwardedOf(instanceId)).toBeNull()
  })
})

describe('a subscription', () => {
  test('beyond the quota is refused, and the last one within it can be made again', async () => {
    const { deps } = harness
    const { database } = harness.test
    const instanceId = await harness.newInstance()
    await database.query(`insert into instance_quotas (instance_id, name, bound) values ($1, 'subscriptions', 1)`, [instanceId])
    const target = { event: 'RawData' as const, callbackUrl: newUrl() }
    const first = await subscribe(deps, instanceId, target)
    await expect(subscribe(deps, instanceId, { ...target, callbackUrl: newUrl() })).rejects.toThrow(QuotaReached)
    const again = await subscribe(deps, instanceId, target, first.id)
    expect(again.id).toBe(first.id)
    expect(again.secret).not.toBe(first.secret)
    expect(await listSubscriptions(database, instanceId)).toHaveLength(1)
  })

  test('of another instance is neither disabled nor enabled', async () => {
    const { deps, instanceId } = harness
    const { database } = deps
    const stranger = await harness.newInstance()
    const { id } = await harness.subscribeTo(newUrl())
    expect(await suspendSubscription(database, stranger, id, 'gone')).toBe(false)
    expect(await suspendSubscription(database, instanceId, id, 'gone')).toBe(true)
    expect(await resumeSubscription(deps, stranger, id, { recover: true })).toBeNull()
    expect(await findSubscription(database, instanceId, id)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    await unsubscribe(deps, instanceId, id)
  })

  test.each([
    ['with what it missed when that is asked for', true, 2],
    ['without what it missed otherwise', false, 0],
  ])('is enabled %s', async (_how, recover, recovered) => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(newUrl())
    await suspendSubscription(deps.database, instanceId, id, 'failing')
    for (let turn = 0; turn < 2; turn += 1) await harness.raise()
    const resumed = await resumeSubscription(deps, instanceId, id, { recover })
    expect(resumed).toMatchObject({ recovered, subscription: { id, status: 'active', disabledReason: null } })
    expect(await deliveriesOf(id)).toBe(recovered)
    await unsubscribe(deps, instanceId, id)
  })

  test('that is active stays as it is when it is enabled, and gets nothing twice', async () => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(newUrl())
    await harness.raise()
    expect(await resumeSubscription(deps, instanceId, id, { recover: true })).toMatchObject({ recovered: 0, subscription: { id } })
    expect(await deliveriesOf(id)).toBe(1)
    await unsubscribe(deps, instanceId, id)
  })

  test('gets what was raised before it is changed or removed by its old state, and what comes after by its new one', async () => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(newUrl(), 'RawData')
    await harness.raise('RawData')
    await changeSubscription(deps, instanceId, id, { event: 'ReadyToUseData' })
    await harness.raise('RawData')
    const other = await harness.subscribeTo(newUrl(), 'ReadyToUseData')
    expect([await deliveriesOf(id), await deliveriesOf(other.id)]).toEqual([1, 0])
    for (const each of [id, other.id]) await unsubscribe(deps, instanceId, each)
  })

  test('is not disabled while a request compares and changes it', async () => {
    const { instanceId } = harness
    const { database } = harness.test
    const { id } = await harness.subscribeTo(newUrl())
    const path = `/admin/api/v1/webhooks/subscriptions/${id}`
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    let suspended: Promise<boolean> = Promise.resolve(false)
    const during = await withResourceLock(database, { instanceId, path, isExclusive: true }, async () => {
      suspended = suspendSubscription(database, instanceId, id, 'gone')
      const isWaiting = until('the change waits', async () => ((await database.query(waiting)).rowCount === 1 ? 'waits' : null))
      return await Promise.race([isWaiting, suspended.then(() => 'has been disabled')])
    })
    expect([during, await suspended]).toEqual(['waits', true])
    await unsubscribe(harness.deps, instanceId, id)
  })
})
