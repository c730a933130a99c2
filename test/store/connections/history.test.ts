import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { readHistory } from '../../../src/store/connections/connection-history.ts'
import type { Connection } from '../../../src/store/connections/connections.ts'
import { recordConsent } from '../../../src/store/connections/consents.ts'
import { openRun } from '../../../src/store/connections/sync-runs.ts'
import { NO_COUNTS } from '../../../src/sync/runs/run-progress.ts'
import { minutesAfter, SHAPES, storeForTests } from '../../records/record-store.ts'
import { setColumns, storeConnection, storeLink, storeTenants, type Tenants } from '../stored.ts'
import { newConsent } from './consents.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let tenants: Tenants
  let connection: Connection
  let [instanceId, otherId, companyId] = ['', '', '']
  beforeEach(async () => {
    tenants = await storeTenants(test.database)
    ;({ instanceId, otherId, companyId } = tenants)
    connection = await storeConnection(test.database, tenants)
  })

  describe('the history of a company at a service', () => {
    it('begins with the links, and has consents, statuses and runs in their order', async () => {
      const { database } = test
      const { serviceId } = connection
      const at = async (table: string, id: string, columns: Record<string, number>) =>
        await setColumns(
          database,
          table,
          { instanceId, id },
          Object.fromEntries(Object.entries(columns).map(([name, minutes]) => [name, `'${minutesAfter(minutes).toISOString()}'`])),
        )
      const [done, revoked, expired] = [
        await storeLink(database, tenants, { serviceId }),
        await storeLink(database, tenants, { serviceId: randomUUID() }),
        await storeLink(database, tenants, { serviceId }),
      ]
      await storeLink(database, tenants)
      await at('links', done.id, { created_at: 0, opened_at: 1, completed_at: 4 })
      await at('links', revoked.id, { created_at: 10, revoked_at: 11 })
      await at('links', expired.id, { created_at: 12, expires_at: 13 })
      const consent = newConsent({ ...tenants, linkId: done.id, givenAt: minutesAfter(2) })
      await recordConsent(database, consent)
      await database.query('update consents set connection_id = $2, ended_at = $3, ended_how = $4 where id = $1', [
        ...[consent.id, connection.id, minutesAfter(6), 'withdrawn'],
      ])
      await database.query('update connection_timeline set at = $2 where connection_id = $1', [connection.id, minutesAfter(3)])
      const run = await openRun(database, {
        instanceId,
        companyId,
        id: randomUUID(),
        connectionId: connection.id,
        reason: 'schedule',
        isAwaited: false,
        counts: NO_COUNTS,
      })
      await at('sync_runs', run.id, { started_at: 5 })
      const scope = { instanceId, companyId, serviceId, linkServiceIds: [serviceId, revoked.serviceId] }
      const none = { sessionId: null, subjectId: null, fromStatus: null, toStatus: null, detail: '', detailCode: null, detailParts: null }
      const ofConnection = { ...none, sessionId: connection.id }
      const by = { detail: 'by dev@maple.example', detailCode: 'by', detailParts: { name: 'dev@maple.example' } }
      const expected = [
        { ...none, at: minutesAfter(0), kind: 'linkIssued', subjectId: done.id, ...by },
        { ...none, at: minutesAfter(1), kind: 'linkOpened', subjectId: done.id },
        {
          ...{
            ...ofConnection,
            at: minutesAfter(2),
            kind: 'consentGiven',
            subjectId: consent.id,
            detail: 'loan, en, 30 days',
            detailCode: 'consent',
          },
          detailParts: { purpose: 'loan', language: 'en', days: 30 },
        },
        { ...ofConnection, at: minutesAfter(3), kind: 'status', toStatus: 9 },
        { ...none, at: minutesAfter(4), kind: 'linkCompleted', subjectId: done.id },
        {
          ...{ ...ofConnection, at: minutesAfter(5), kind: 'run', subjectId: run.id, detail: 'schedule: running', detailCode: 'run' },
          detailParts: { reason: 'schedule', state: 'running' },
        },
        {
          ...{
            ...ofConnection,
            at: minutesAfter(6),
            kind: 'consentEnded',
            subjectId: consent.id,
            detail: 'withdrawn',
            detailCode: 'ended',
          },
          detailParts: { how: 'withdrawn' },
        },
        { ...none, at: minutesAfter(10), kind: 'linkIssued', subjectId: revoked.id, ...by },
        { ...none, at: minutesAfter(11), kind: 'linkRevoked', subjectId: revoked.id },
        { ...none, at: minutesAfter(12), kind: 'linkIssued', subjectId: expired.id, ...by },
        { ...none, at: minutesAfter(13), kind: 'linkExpired', subjectId: expired.id },
      ]
      const page = { filter: [], limit: 50, offset: 0, descending: false }
      expect(await readHistory(database, scope, page)).toEqual({ entries: expected, total: 11 })
      expect(await readHistory(database, scope, { ...page, descending: true, limit: 2, offset: 1 })).toEqual({
        entries: [expected[9], expected[8]],
        total: 11,
      })
      const kinds = async (property: string, value: string) =>
        (await readHistory(database, scope, { ...page, filter: [[{ property, operator: '=', value }]] })).entries.map(({ kind }) => kind)
      expect([
        await kinds('kind', 'run'),
        await kinds('statusCode', '9'),
        await kinds('sessionId', connection.id),
        await kinds('subjectId', run.id),
      ]).toEqual([['run'], ['status'], ['consentGiven', 'status', 'run', 'consentEnded'], ['run']])
      expect(await kinds('at', minutesAfter(1).toISOString())).toEqual(['linkOpened'])
      expect(await readHistory(database, { ...scope, instanceId: otherId }, page)).toEqual({ entries: [], total: 0 })
    })

    it('of several connections with many runs and statuses is paged in one order', async () => {
      const { database } = test
      const { serviceId } = connection
      const again = await storeConnection(database, tenants, { serviceId })
      for (const { id } of [connection, again]) {
        // Every third run begins when a status changes.
        await database.query(
          `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, started_at)
           select $1, gen_random_uuid(), $2, $3, 'schedule', 'failed', 1, $4::timestamptz + n * interval '10 microseconds' from generate_series(1, 60) n`,
          [instanceId, id, companyId, minutesAfter(0)],
        )
        await database.query(
          `insert into connection_timeline (instance_id, connection_id, at, from_status, to_status)
           select $1, $2, $3::timestamptz + n * interval '30 microseconds', 9, 9 from generate_series(1, 20) n`,
          [instanceId, id, minutesAfter(0)],
        )
      }
      await database.query('update connection_timeline set at = $2 where from_status is null and instance_id = $1', [
        instanceId,
        minutesAfter(-1),
      ])
      const scope = { instanceId, companyId, serviceId, linkServiceIds: [] }
      for (const descending of [false, true]) {
        const whole = await readHistory(database, scope, { filter: [], limit: 500, offset: 0, descending })
        expect([whole.total, whole.entries.length]).toEqual([162, 162])
        const inTime = descending ? whole.entries.toReversed() : whole.entries
        expect(inTime.slice(0, 9).map(({ kind }) => kind)).toEqual([...'ssrrrrssr'].map((kind) => (kind === 's' ? 'status' : 'run')))
        const paged = []
        for (let offset = 0; offset < 200; offset += 25) {
          const { entries, total } = await readHistory(database, scope, { filter: [], limit: 25, offset, descending })
          expect(total).toBe(162)
          paged.push(...entries)
        }
        expect(paged).toEqual(whole.entries)
        const filter = [[{ property: 'kind', operator: '=' as const, value: 'run' }]]
        const runs = whole.entries.filter(({ kind }) => kind === 'run')
        expect(await readHistory(database, scope, { filter, limit: 25, offset: 75, descending })).toEqual({
          entries: runs.slice(75, 100),
          total: 120,
        })
      }
    })
  })
})
