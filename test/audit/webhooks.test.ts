import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { recordChange } from '../../src/audit/record.ts'
import { AuditPump } from '../../src/audit/sinks/pump.ts'
import { createWebhookSink } from '../../src/audit/sinks/webhook-sink.ts'
import { toAuditEventBody } from '../../src/model/audit-events.ts'
import { MAX_BODY_BYTES } from '../../src/model/events.ts'
import { recordAudit } from '../../src/store/access/audit.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { sendTestEvent } from '../../src/webhooks/replay.ts'
import { resumeSubscription, suspendSubscription, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { verifyBody, verifyWebhook } from '../../src/webhooks/verify.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openWebhookHarness, type Receiver } from '../webhooks/harness.ts'

const KEY = new Uint8Array(32)
const at = new Date('2026-11-20T12:00:00Z')

const harness = openForTests(openWebhookHarness)
let instanceId: string
beforeEach(async () => {
  instanceId = await harness.newInstance()
})

async function record(count: number, of: string | null = instanceId): Promise<void> {
  await inTransaction(harness.test.database, async (db) => {
    for (let index = 0; index < count; index += 1)
      await recordAudit(db, KEY, { instanceId: of, action: 'company.created', userId: null, subject: `company/${index}` }, at)
  })
}

const log = { info: () => undefined, warn: (fields: Record<string, unknown>) => expect.fail(String(fields.err)) }
const pump = () =>
  new AuditPump({
    ...{ database: harness.test.database, destination: 'webhooks', sink: createWebhookSink(harness.test.database), log },
    ...{ now: () => new Date(), isStopping: () => false },
  })

/** Passes entries on and makes attempts until there are none. */
async function deliver(): Promise<void> {
  await pump().run()
  while ((await harness.dispatcher.runOnce()) > 0);
}

interface AuditData {
  Position: number
  Hash: string
  Action: string
}

const dataOf = (body: string): AuditData => (JSON.parse(body) as { Data: AuditData }).Data
const positionsAt = ({ received }: Receiver) => received.map(({ body }) => dataOf(body).Position)

async function chain(): Promise<{ position: number; hash: string }[]> {
  const { rows } = await harness.test.database.query<{ position: number; hash: string }>(
    `select position::int, encode(hash, 'hex') as hash from audit_entries where instance_id = $1 order by 1`,
    [instanceId],
  )
  return rows
}

describe('a subscription to audit entries', () => {
  it('gets each entry from then on signed, in the order of the chain, with its position and hash', async () => {
    await record(3)
    const receiver = await harness.receive()
    const { secret } = await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
    await record(520)
    await record(2, null)
    await record(2, await harness.newInstance())
    await deliver()
    const entries = receiver.received.map(({ body }) => dataOf(body))
    expect(entries.map(({ Position, Hash }) => ({ position: Position, hash: Hash }))).toEqual((await chain()).slice(3))
    for (const { headers, body } of receiver.received.slice(0, 3))
      expect([verifyWebhook(headers, body, secret), verifyBody(body, secret)]).toEqual([true, true])
    await record(1)
    await deliver()
    expect(positionsAt(receiver).at(-1)).toBe(524)
  }, 60_000)

  it('that is away gets the others only after the one that failed', async () => {
    let isAway = true
    const receiver = await harness.receive((_request, response) => {
      response.statusCode = isAway ? 503 : 200
      response.end()
    })
    await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
    await record(4)
    await deliver()
    harness.travel(3_600_000)
    await deliver()
    expect(positionsAt(receiver)).toEqual([1, 1])
    isAway = false
    harness.travel(3_600_000)
    await record(1)
    await deliver()
    expect(positionsAt(receiver).slice(2)).toEqual([1, 2, 3, 4, 5])
  })

  it('that was disabled gets on request what it missed, in order', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
    await suspendSubscription(harness.test.database, instanceId, id, 'failing')
    await record(30)
    await deliver()
    expect(receiver.received).toEqual([])
    await resumeSubscription(harness.deps, instanceId, id, { recover: true })
    await deliver()
    expect(positionsAt(receiver)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  })

  it('makes no entries by its own deliveries, nor an event twice after a crash of the pump', async () => {
    const receiver = await harness.receive()
    await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
    const writer = { key: () => KEY, now: () => at }
    const change = { instanceId, action: 'company.created', subject: `company/${randomUUID()}` } as const
    await withinActor(ownScope(writer, 'job'), async () => {
      await inTransaction(harness.test.database, (db) => recordChange(db, change))
      await deliver()
      await harness.test.database.query(`update audit_cursors set position = 0 where instance_id = $1`, [instanceId])
      await deliver()
      await deliver()
    })
    expect(positionsAt(receiver)).toEqual([1])
    expect(await chain()).toHaveLength(1)
  })

  it('gets a test event at position 0', async () => {
    const receiver = await harness.receive()
    const { id } = await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
    await sendTestEvent(harness.deps, instanceId, id)
    await deliver()
    expect(receiver.received.map(({ body }) => dataOf(body))).toMatchObject([{ Position: 0, Action: 'subscription.tested' }])
  })
})

it('without a subscription there are no events, also after the last one has ended', async () => {
  const receiver = await harness.receive()
  const { id } = await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
  await unsubscribe(harness.deps, instanceId, id)
  await record(2)
  await deliver()
  await harness.subscribeTo(receiver.url, 'AuditEntry', instanceId)
  await record(1)
  await deliver()
  expect(positionsAt(receiver)).toEqual([3])
})

it('an entry that is too large for a body goes without its values, and says so', () => {
  const after = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, '"é\u0001'.repeat(200)]))
  const facts = {
    id: randomUUID(),
    position: 7,
    hash: 'ab',
    at,
    entry: { action: 'user.changed', userId: null, subject: 'x\ud800', after },
  }
  const body = toAuditEventBody(facts)
  expect(Buffer.byteLength(body)).toBeLessThan(MAX_BODY_BYTES)
  expect(JSON.parse(body)).toMatchObject({ Data: { Position: 7, After: null, IsShortened: true, Subject: 'x\ufffd' } })
  const small = toAuditEventBody({ ...facts, entry: { ...facts.entry, after: { everyMinutes: 1.5 } } })
  expect(JSON.parse(small)).toMatchObject({ Data: { After: { everyMinutes: '1.5' }, IsShortened: false } })
})
