import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AuditWriter, ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter } from '../../src/audit/record.ts'
import { closeReceiver, openReceiver } from '../../src/webhooks/receivers.ts'
import { replayEvent, replayOneDelivery, replayToSubscription, sendTestEvent } from '../../src/webhooks/replay.ts'
import { promoteSecret, retireSecrets, revokeSecrets, rotateSecret } from '../../src/webhooks/secrets.ts'
import { changeSubscription, resumeSubscription, subscribe, suspendSubscription, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { plainHash, testKeys } from '../harness/keys.ts'
import { openWebhookHarness } from './harness.ts'

const SECRET_PART = 'token-of-a-customer'
const ALL = { mayReadAudit: true }
const url = () => `https://hooks.example.com/${randomUUID()}?key=${SECRET_PART}`

const harness = openForTests(openWebhookHarness)
let writer: AuditWriter
beforeAll(async () => {
  writer = auditWriter({ keys: await testKeys(), now: () => new Date() })
})

/** Entries that `work` adds to the audit log, oldest first, without what is the same in each. */
async function entriesOf(work: () => Promise<unknown>): Promise<object[]> {
  const read = async () => (await harness.test.database.query<{ entry: string }>('select entry from audit_entries order by position')).rows
  const before = (await read()).length
  await withinActor(ownScope(writer, 'job', 'test'), work)
  const added = (await read()).slice(before)
  return added.map(({ entry }) => {
    const { v: _version, actor: _actor, actorId: _actorId, userId: _userId, ...rest } = JSON.parse(entry)
    return rest
  })
}

async function deliveryOf(eventId: string): Promise<string> {
  const { rows } = await harness.test.database.query<{ id: string }>('select id from deliveries where event_id = $1', [eventId])
  return rows[0]?.id ?? ''
}

describe('the audit log', () => {
  const target = { event: 'RawData' as const, host: 'hooks.example.com' }

  test('says what a subscription was and is, with the host of its address only', async () => {
    const { deps, instanceId } = harness
    const id = randomUUID()
    const subject = `subscription/${id}`
    const withheld = ['callbackUrl']
    const made = await entriesOf(() => subscribe(deps, instanceId, { event: 'RawData', callbackUrl: url() }, id))
    const moved = await entriesOf(() => changeSubscription(deps, instanceId, id, { callbackUrl: `https://other.example/${SECRET_PART}` }))
    const gone = await entriesOf(() => unsubscribe(deps, instanceId, id))
    expect(made).toEqual([{ action: 'subscription.created', subject, after: target, withheld }])
    const host = 'other.example'
    expect(moved).toEqual([{ action: 'subscription.changed', subject, before: { host: target.host }, after: { host }, withheld }])
    expect(gone).toEqual([{ action: 'subscription.deleted', subject, before: { ...target, host }, withheld }])
    expect(JSON.stringify([made, moved, gone])).not.toContain(SECRET_PART)
  })

  test('says why a subscription was disabled, and what was recovered when it was enabled', async () => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(url(), 'ReadyToUseData')
    const subject = `subscription/${id}`
    const states = { before: { status: 'active' }, after: { status: 'disabled' } }
    const suspend = () => suspendSubscription(deps.database, instanceId, id, 'failing')
    expect(await entriesOf(suspend)).toEqual([{ action: 'subscription.disabled', subject, ...states, details: { reason: 'failing' } }])
    await harness.raise('ReadyToUseData')
    const resume = () => resumeSubscription(deps, instanceId, id, { recover: true })
    expect(await entriesOf(resume)).toEqual([
      { action: 'subscription.enabled', subject, before: states.after, after: states.before, details: { recovered: 1 } },
    ])
    await unsubscribe(deps, instanceId, id)
  })

  test('has an entry for each change of secrets', async () => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(url())
    const changes = [rotateSecret, promoteSecret, retireSecrets, revokeSecrets]
    const entries = await entriesOf(async () => {
      for (const change of changes) await change(deps, instanceId, id)
    })
    const actions = ['rotated', 'promoted', 'retired', 'revoked'].map((done) => `webhook-secret.${done}`)
    expect(entries).toEqual(actions.map((action) => ({ action, subject: `subscription/${id}` })))
    await unsubscribe(deps, instanceId, id)
  })

  test('says what was delivered again, and of which test', async () => {
    const { deps, instanceId } = harness
    const { id } = await harness.subscribeTo(url())
    const other = await harness.subscribeTo(url())
    const eventId = await harness.raise()
    const counted = (subject: string, details: object) => ({ action: 'events.replayed', subject, details })
    const toOne = await entriesOf(() => replayToSubscription(deps, instanceId, id, { events: 'one', eventId }))
    const toAll = await entriesOf(() => replayEvent(deps, instanceId, eventId, ALL))
    const deliveryId = await deliveryOf(eventId)
    const ofDelivery = await entriesOf(() => replayOneDelivery(deps, instanceId, deliveryId, ALL))
    const since = { events: 'undelivered' as const, since: new Date(0) }
    const ofMissed = await entriesOf(() => replayToSubscription(deps, instanceId, id, since))
    const ofTest = await entriesOf(() => sendTestEvent(deps, instanceId, id))
    for (const subscription of [id, other.id]) await unsubscribe(deps, instanceId, subscription)
    expect(toOne).toEqual([counted(`subscription/${id}`, { events: 'one', deliveries: 1 })])
    expect(toAll).toEqual([counted(`event/${eventId}`, { events: 'one', deliveries: 2 })])
    expect(ofDelivery).toEqual([counted(`delivery/${deliveryId}`, { deliveries: 1 })])
    expect(ofMissed).toEqual([counted(`subscription/${id}`, { events: 'undelivered', deliveries: 1 })])
    expect(ofTest).toEqual([{ action: 'subscription.tested', subject: `subscription/${id}` }])
  })

  test('says which receiver was opened, opened again and closed', async () => {
    const { instanceId } = harness
    const { database, sealer } = harness.deps
    const hashToken = plainHash((token) => createHash('sha256').update(token).digest())
    const deps = { database, sealer, publicUrl: 'https://data.example', hashToken }
    const id = randomUUID()
    const open = () => openReceiver(deps, instanceId, 'RawData', id)
    const entries = await entriesOf(async () => {
      await open()
      const { receiver } = await open()
      await closeReceiver(deps, receiver)
    })
    const opened = { action: 'receiver.opened', subject: `receiver/${id}`, after: { event: 'RawData' } }
    const closed = { action: 'receiver.closed', subject: `receiver/${id}`, before: { event: 'RawData' } }
    expect(entries).toEqual([opened, opened, closed])
  })

  test('has no entry for what changes nothing', async () => {
    const { deps, instanceId } = harness
    const { database } = deps
    const unknown = randomUUID()
    const { id } = await harness.subscribeTo(url())
    await suspendSubscription(database, instanceId, id, 'gone')
    const since = { events: 'undelivered' as const, since: new Date(0) }
    const answers: unknown[] = []
    const entries = await entriesOf(async () => {
      answers.push(
        await suspendSubscription(database, instanceId, id, 'failing'),
        await suspendSubscription(database, instanceId, unknown, 'failing'),
        await unsubscribe(deps, instanceId, unknown),
        await changeSubscription(deps, instanceId, unknown, { event: 'RawData' }),
        await resumeSubscription(deps, instanceId, unknown, { recover: true }),
        await rotateSecret(deps, instanceId, unknown),
        await replayToSubscription(deps, instanceId, unknown, since),
        await replayEvent(deps, instanceId, unknown, ALL),
        await replayOneDelivery(deps, instanceId, unknown, ALL),
        await sendTestEvent(deps, instanceId, unknown),
      )
    })
    expect(answers).toEqual([false, false, false, null, null, null, null, null, false, null])
    expect(entries).toEqual([])
  })
})
