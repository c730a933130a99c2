import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { openRun } from '../../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { appendWaitingEvents, catchUpFeed } from '../../../src/store/webhooks/event-feeds.ts'
import { listShownEvents } from '../../../src/store/webhooks/events-of-runs.ts'
import { listEvents } from '../../../src/store/webhooks/feed-pages.ts'
import { SHAPES, storeForTests } from '../../records/record-store.ts'
import { raiseEvent } from '../../webhooks/harness.ts'
import { storeConnection, storeTenants, type Tenants } from '../stored.ts'

const counts = { pages: 0, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0, reidentified: 0, unclear: 0 }

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let tenants: Tenants
  let instanceId = ''
  let [ended, unfinished, other] = ['', '', '']
  beforeEach(async () => {
    const { database } = test
    tenants = await storeTenants(database)
    ;({ instanceId } = tenants)
    const { id: connectionId } = await storeConnection(database, tenants)
    const run = { instanceId, companyId: tenants.companyId, connectionId, reason: 'schedule' as const, isAwaited: false, counts }
    const { id: runId } = await openRun(database, { ...run, id: randomUUID() })
    const raise = (kind: 'RawData' | 'Error', runOf: string) =>
      raiseEvent(database, instanceId, kind, { companyId: tenants.companyId, dedupeKey: `${kind}/${connectionId}/${runOf}` })
    ended = await raise('RawData', randomUUID())
    unfinished = await raise('RawData', runId)
    other = await raise('Error', runId)
    await raiseEvent(database, tenants.otherId, 'RawData')
  })

  it('events about data wait on a cluster until nodes show their run as ended', async () => {
    const shown = await listShownEvents(test.database, instanceId)
    expect(shown).toEqual(isDistributed ? [ended] : [])
    const append = () => inTransaction(test.database, (db) => appendWaitingEvents(db, instanceId, 'all', shown))
    expect([await append(), await append()]).toEqual([isDistributed ? 2 : 3, 0])
    const ids = async () =>
      (await listEvents(test.database, { instanceId, after: null, limit: 10, mayReadAudit: true })).events.map(({ id }) => id)
    expect(await ids()).toEqual(isDistributed ? [ended, other] : [ended, unfinished, other])
    await test.database.query(`update sync_runs set state = 'published'`)
    expect(await ids()).toEqual(isDistributed ? [ended, other, unfinished] : [ended, unfinished, other])
  })

  it('a change of subscriptions lets none of them pass', async () => {
    expect(await inTransaction(test.database, (db) => catchUpFeed(db, instanceId))).toBe(isDistributed ? '1' : '3')
  })

  it('a company whose node does not answer delays no other for long', async () => {
    const { database } = test
    const more = []
    for (let n = 0; n < 5; n += 1) more.push(await raiseEvent(database, instanceId, 'RawData', { dedupeKey: `RawData/c/${randomUUID()}` }))
    expect((await listShownEvents(database, instanceId)).toSorted()).toEqual(isDistributed ? [ended, ...more].toSorted() : [])
    await database.query('alter table sync_runs rename to lost_runs')
    expect(await listShownEvents(database, instanceId)).toEqual([])
    await database.query('alter table lost_runs rename to sync_runs')
  })
})
