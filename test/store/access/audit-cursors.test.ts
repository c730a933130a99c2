import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { DEPLOYMENT_CHAIN } from '../../../src/store/access/audit-chain.ts'
import {
  type AuditDestination,
  type ClaimedCursor,
  claimAuditCursor,
  moveAuditCursor,
  releaseAuditCursor,
  startAuditWebhooks,
} from '../../../src/store/access/audit-cursors.ts'
import { insertSuspension } from '../../../src/store/operators/suspensions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { storeTenants } from '../stored.ts'

const test = databaseForTests()
let [first, second] = ['', '']

beforeEach(async () => {
  await test.database.query('truncate audit_chains, audit_cursors, subscriptions cascade')
  const { instanceId, otherId } = await storeTenants(test.database)
  ;[first = '', second = ''] = [instanceId, otherId].toSorted()
  await test.database.query('truncate audit_chains, audit_cursors')
})

/** A chain of an instance with so many entries. */
const addChain = (id: string, position: number) =>
  test.database.query(`insert into audit_chains (instance_id, position, hash, start_hash) values ($1, $2, '', '')`, [id, position])
const subscribe = (instanceId: string, event = 'AuditEntry') =>
  test.database.query(`insert into subscriptions (instance_id, id, event, callback_url) values ($1, $2, $3, $4)`, [
    ...[instanceId, randomUUID(), event, `https://a.example/${event}`],
  ])
const claim = (destination: AuditDestination = 'sink') => claimAuditCursor(test.database, destination)
/** Has the lease of a cursor end in so many seconds. */
const endLease = (instanceId: string, seconds: number) =>
  test.database.query('update audit_cursors set leased_until = statement_timestamp() + make_interval(secs => $2) where instance_id = $1', [
    instanceId,
    seconds,
  ])
async function listCursors() {
  const { rows } = await test.database.query(
    `select instance_id as id, sink, position::int as position, round(extract(epoch from leased_until - statement_timestamp()))::int as lease
     from audit_cursors order by instance_id, sink`,
  )
  return rows.map(({ lease, ...row }) => ({ ...row, isLeased: lease !== null && lease > 55 && lease <= 60 }))
}
async function claimed(destination: AuditDestination = 'sink'): Promise<ClaimedCursor> {
  const cursor = await claim(destination)
  if (!cursor) throw new Error('none is free')
  return cursor
}

describe('a chain of the audit log', () => {
  it('is claimed by one process at a time, for a minute, from its beginning', async () => {
    await addChain(first, 7)
    expect(await claim()).toEqual({ instanceId: first, position: 0, head: 7 })
    expect([await claim(), await listCursors()]).toEqual([null, [{ id: first, sink: 'sink', position: 0, isLeased: true }]])
    await endLease(first, 5)
    expect(await claim()).toBeNull()
    await endLease(first, -1)
    expect(await claim()).toEqual({ instanceId: first, position: 0, head: 7 })
    expect(await listCursors()).toEqual([{ id: first, sink: 'sink', position: 0, isLeased: true }])
  })

  it('is none where all was forwarded, and that of the deployment belongs to no instance', async () => {
    expect(await claim()).toBeNull()
    await addChain(DEPLOYMENT_CHAIN, 3)
    const cursor = await claimed()
    expect(cursor).toEqual({ instanceId: null, position: 0, head: 3 })
    await moveAuditCursor(test.database, 'sink', cursor, 3)
    expect([await claim(), await listCursors()]).toEqual([null, [{ id: DEPLOYMENT_CHAIN, sink: 'sink', position: 3, isLeased: false }]])
    await test.database.query('update audit_chains set position = 4')
    expect(await claim()).toEqual({ instanceId: null, position: 3, head: 4 })
  })

  it('waits its turn: first those that nobody has, then the one whose lease ended first', async () => {
    for (const id of [first, second]) await addChain(id, 1)
    expect([(await claimed()).instanceId, (await claimed()).instanceId, await claim()]).toEqual([first, second, null])
    await endLease(first, -1)
    await endLease(second, -2)
    expect([(await claimed()).instanceId, (await claimed()).instanceId]).toEqual([second, first])
    await endLease(first, -9)
    await releaseAuditCursor(test.database, 'sink', { instanceId: second, position: 0, head: 1 })
    expect((await claimed()).instanceId).toBe(second)
  })

  it('is moved and released as it was claimed only, at its destination', async () => {
    for (const id of [first, second]) await addChain(id, 5)
    await subscribe(first)
    const cursors = [await claimed(), await claimed(), await claimed('webhooks')]
    const [own] = cursors
    if (!own) throw new Error('none')
    const leased = [
      { id: first, sink: 'sink', position: 0, isLeased: true },
      { id: first, sink: 'webhooks', position: 0, isLeased: true },
      { id: second, sink: 'sink', position: 0, isLeased: true },
    ]
    await moveAuditCursor(test.database, 'sink', { ...own, position: 1 }, 4)
    await releaseAuditCursor(test.database, 'sink', { ...own, position: 1 })
    expect(await listCursors()).toEqual(leased)
    await moveAuditCursor(test.database, 'sink', own, 4)
    expect(await listCursors()).toEqual([{ ...leased[0], position: 4, isLeased: false }, ...leased.slice(1)])
    await releaseAuditCursor(test.database, 'webhooks', own)
    expect(await listCursors()).toEqual([{ ...leased[0], position: 4, isLeased: false }, { ...leased[1], isLeased: false }, leased[2]])
  })

  it('goes to webhooks where an instance subscribes to it and is not suspended', async () => {
    for (const id of [first, second]) await addChain(id, 5)
    expect(await claim('webhooks')).toBeNull()
    await subscribe(second, 'SyncFinished')
    expect(await claim('webhooks')).toBeNull()
    await subscribe(second)
    await insertSuspension(test.database, second, 'unpaid')
    expect(await claim('webhooks')).toBeNull()
    expect((await claimed()).instanceId).toBe(first)
    await test.database.query('delete from instance_suspensions')
    expect(await claim('webhooks')).toEqual({ instanceId: second, position: 0, head: 5 })
  })

  it('goes to webhooks from the next entry on, each time that they begin', async () => {
    for (const id of [first, second]) await addChain(id, 5)
    await startAuditWebhooks(test.database, first)
    const own = { id: first, sink: 'webhooks', position: 5, isLeased: false }
    expect(await listCursors()).toEqual([own])
    await test.database.query('update audit_chains set position = 8')
    await startAuditWebhooks(test.database, first)
    await startAuditWebhooks(test.database, randomUUID())
    expect(await listCursors()).toEqual([{ ...own, position: 8 }])
  })
})
