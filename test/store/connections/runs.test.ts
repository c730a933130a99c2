import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { findRun, listRuns, readRuns } from '../../../src/store/connections/connection-history.ts'
import type { Connection } from '../../../src/store/connections/connections.ts'
import { findPromisedRun, hasRun, isRunPromised } from '../../../src/store/connections/requested-runs.ts'
import { listSeen, replaceSeen } from '../../../src/store/connections/run-pages.ts'
import {
  abandonReplay,
  abandonRuns,
  closeRun,
  lockRun,
  lockRunningRun,
  openRun,
  type RunReason,
  StagedDataLost,
  type SyncRun,
  saveProgress,
} from '../../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import type { Clause } from '../../../src/store/db/list-selection.ts'
import { NO_COUNTS } from '../../../src/sync/runs/run-progress.ts'
import { countWaiting } from '../../harness/while-open.ts'
import { until } from '../../process/deadline.ts'
import { AT, minutesAfter, SHAPES, storeForTests } from '../../records/record-store.ts'
import { listColumn, setColumns, storeConnection, storeTenants, type Tenants } from '../stored.ts'

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

  const owner = () => ({ instanceId, companyId, id: connection.id })

  function open(more: { reason?: RunReason; isAwaited?: boolean; requestedAt?: Date; id?: string } = {}): Promise<SyncRun> {
    const run = {
      instanceId,
      companyId,
      id: randomUUID(),
      connectionId: connection.id,
      reason: 'schedule' as const,
      isAwaited: false,
      counts: NO_COUNTS,
    }
    return openRun(test.database, { ...run, ...more })
  }

  const temporary = async () => [
    (await listColumn(test.database, 'staged_runs', 'run_id', instanceId)).length,
    (await listColumn(test.database, 'run_pages', 'run_id', instanceId)).length,
  ]

  describe('a run', () => {
    it('is opened with nothing read, and resumed by the next worker under a higher fence', async () => {
      const { database } = test
      const opened = await open({ reason: 'first' })
      expect(opened).toEqual({
        ...{
          instanceId,
          companyId,
          id: opened.id,
          connectionId: connection.id,
          reason: 'first',
          isAwaited: false,
          state: 'running',
          pull: 0,
          page: 0,
        },
        ...{
          cursor: null,
          cursors: {},
          counts: NO_COUNTS,
          unmapped: [],
          startedAt: expect.any(Date),
          endedAt: null,
          errorKind: null,
          error: null,
          fence: '1',
        },
      })
      expect(await temporary()).toEqual([1, 0])
      const resumed = await open()
      expect(resumed).toMatchObject({ ...opened, fence: '2' })
      expect([await lockRun(database, opened), await lockRun(database, resumed)]).toEqual([false, true])
      expect(await lockRunningRun(database, owner())).toEqual({ ...opened, fence: '2' })
      expect([
        await lockRunningRun(database, { ...owner(), instanceId: otherId }),
        await lockRunningRun(database, { ...owner(), id: randomUUID() }),
      ]).toEqual([null, null])
    })

    it.each<[string, { isAwaited?: boolean; requestedAt?: Date }, boolean]>([
      ['nobody', {}, false],
      ['a caller', { isAwaited: true }, true],
      ['a caller who asked before it began', { isAwaited: true, requestedAt: AT }, true],
      ['a caller who asked after it began', { isAwaited: true, requestedAt: new Date('2099-01-01T00:00:00Z') }, false],
    ])('that goes on is awaited by %s', async (_who, more, isExpected) => {
      await open()
      expect((await open(more)).isAwaited).toBe(isExpected)
      expect((await open()).isAwaited).toBe(isExpected)
    })

    it('whose staged records were lost ends, and another begins that is awaited as it was', async () => {
      const { database } = test
      const lost = await open({ isAwaited: true })
      await saveProgress(database, lost, { pull: 0, page: 0, seen: Buffer.from('seen') })
      await database.query('delete from staged_runs where run_id = $1', [lost.id])
      await expect(lockRun(database, lost)).rejects.toThrow(new StagedDataLost('what the run had staged was lost'))
      const begun = await open()
      expect(begun).toMatchObject({ isAwaited: true, fence: '1', state: 'running' })
      expect(begun.id).not.toBe(lost.id)
      expect((await findRun(database, { ...owner(), serviceId: connection.serviceId, id: lost.id }))?.state).toBe('abandoned')
      expect(await temporary()).toEqual([1, 0])
    })

    it('saves how far it came, and what each page showed', async () => {
      const { database } = test
      const run = await open()
      const further: SyncRun = {
        ...{ ...run, pull: 1, page: 4, cursor: { next: 'c' }, cursors: { accounts: 'a' }, counts: { ...NO_COUNTS, pages: 3, records: 30 } },
        unmapped: [{ entity: 'Accounts', field: 'type', word: 'Odd', count: 2 }],
      }
      await saveProgress(database, further, { pull: 1, page: 3, seen: Buffer.from('12345678') })
      expect(await lockRunningRun(database, owner())).toEqual(further)
      await saveProgress(database, { ...further, cursor: null }, { pull: 1, page: 3, seen: Buffer.from('abcdefgh') })
      await saveProgress(database, { ...further, cursor: null })
      expect(await lockRunningRun(database, owner())).toEqual({ ...further, cursor: null })
      expect(await listSeen(database, run)).toEqual([{ pull: 1, seen: Buffer.from('abcdefgh') }])
      await replaceSeen(database, run, 1, 3, Buffer.from('replaced'))
      for (const [key, pull, page] of [
        [{ ...run, instanceId: otherId }, 1, 3],
        [run, 0, 3],
        [run, 1, 2],
      ] as const)
        await replaceSeen(database, key, pull, page, Buffer.from('elsewhere'))
      expect([await listSeen(database, run), await listSeen(database, { ...run, instanceId: otherId })]).toEqual([
        [{ pull: 1, seen: Buffer.from('replaced') }],
        [],
      ])
    })

    it.each<[string, Parameters<typeof closeRun>[2]]>([
      ['published', { state: 'published' }],
      ['failed', { state: 'failed', errorKind: 'internal', error: 'text' }],
    ])('that ends as %s keeps its counts, and nothing that was for a time', async (_how, end) => {
      const { database } = test
      const run = await open()
      await saveProgress(database, run, { pull: 0, page: 0, seen: Buffer.from('seen') })
      const ended: SyncRun = {
        ...run,
        counts: { ...NO_COUNTS, changed: 7 },
        unmapped: [{ entity: 'Accounts', field: 'type', word: 'x', count: 1 }],
      }
      await closeRun(database, ended, end)
      expect(ended).toMatchObject({ state: end.state, endedAt: expect.any(Date) })
      const { companyId: _, ...stored } = ended
      expect(await listRuns(database, owner(), 5)).toEqual([{ ...stored, errorKind: end.errorKind ?? null, error: end.error ?? null }])
      expect([await temporary(), await lockRun(database, run), await lockRunningRun(database, owner())]).toEqual([[0, 0], false, null])
    })

    it('that is gone ends in memory alone, at no time', async () => {
      const gone: SyncRun = { ...(await open()), id: randomUUID() }
      await closeRun(test.database, gone, { state: 'failed' })
      expect(gone).toMatchObject({ state: 'failed', endedAt: null })
      expect(await lockRunningRun(test.database, owner())).toMatchObject({ state: 'running' })
    })

    it('is abandoned whoever has it, or only if it is a replay', async () => {
      const { database } = test
      const run = await open()
      await saveProgress(database, run, { pull: 0, page: 0, seen: Buffer.from('seen') })
      await abandonReplay(database, owner())
      await abandonRuns(database, { ...owner(), instanceId: otherId })
      await abandonRuns(database, { ...owner(), id: randomUUID() })
      expect([await lockRun(database, run), await temporary()]).toEqual([true, [1, 1]])
      await abandonRuns(database, owner())
      expect([await lockRun(database, run), await temporary()]).toEqual([false, [0, 0]])
      expect(await listRuns(database, owner(), 5)).toMatchObject([{ state: 'abandoned', endedAt: expect.any(Date) }])
      const replay = await open({ reason: 'replay' })
      expect((await open({ reason: 'replay' })).id).toBe(replay.id)
      const next = await open()
      expect([next.id === replay.id, await temporary()]).toEqual([false, [1, 0]])
      expect((await listRuns(database, owner(), 5)).map(({ reason, state }) => [reason, state])).toEqual([
        ['schedule', 'running'],
        ['replay', 'abandoned'],
        ['schedule', 'abandoned'],
      ])
    })
  })

  it.each([
    ['a run', abandonRuns, 'schedule'],
    ['a replay', abandonReplay, 'replay'],
  ] as const)('%s that is abandoned while a worker stores a page leaves nothing of that', async (_what, abandon, reason) => {
    const { database } = test
    const run = await open({ reason })
    const abandoned = await inTransaction(database, async (db) => {
      await lockRun(db, run)
      const waiting = inTransaction(database, (other) => abandon(other, owner()))
      await until('the lock is waited for', async () => (await countWaiting(database)) > 0 || null)
      await saveProgress(db, run, { pull: 0, page: 0, seen: Buffer.from('seen') })
      return { waiting }
    })
    await abandoned.waiting
    expect(await temporary()).toEqual([0, 0])
  })

  describe('a promised run', () => {
    const queue = async (runId: string | null, state = 'ready', kind = 'sync') =>
      await test.database.query(`insert into jobs (instance_id, kind, key, payload, state) values ($1, $2, $3, $4, $5)`, [
        ...[instanceId, kind, `connection/${connection.id}`, JSON.stringify(runId === null ? {} : { runId }), state],
      ])
    const promised = (runId: string) => isRunPromised(test.database, owner(), runId)

    it.each(['ready', 'running'])('is that of a sync that is %s, until it has begun', async (state) => {
      const { database } = test
      const runId = randomUUID()
      expect([await findPromisedRun(database, owner()), await promised(runId)]).toEqual([null, false])
      await queue(runId, state)
      expect([await findPromisedRun(database, owner()), await promised(runId), await promised(randomUUID())]).toEqual([runId, true, false])
      expect([
        await findPromisedRun(database, { ...owner(), id: randomUUID() }),
        await hasRun(database, { ...owner(), id: runId }),
      ]).toEqual([null, false])
      await open({ id: runId })
      expect([await findPromisedRun(database, owner()), await promised(runId)]).toEqual([null, false])
      expect([
        await hasRun(database, { ...owner(), id: runId }),
        await hasRun(database, { ...owner(), instanceId: otherId, id: runId }),
      ]).toEqual([true, false])
    })

    it('is none of a job that died, of another kind, or without one', async () => {
      await queue(randomUUID(), 'dead')
      await queue(randomUUID(), 'ready', 'revoke')
      await queue(null)
      expect(await findPromisedRun(test.database, owner())).toBe(null)
    })
  })

  describe('the runs of a connection', () => {
    const where = (property: string, value: string | null, operator: Clause['operator'] = '=') => [[{ property, operator, value }]]
    const page: Parameters<typeof readRuns>[2] = { filter: [], limit: 10, offset: 0, descending: false }

    async function three() {
      const runs: SyncRun[] = []
      for (const n of [0, 1, 2]) {
        const run = await open({ reason: n === 1 ? 'refresh' : 'schedule' })
        await setColumns(test.database, 'sync_runs', run, { started_at: `'${minutesAfter(n).toISOString()}'` })
        if (n < 2) await closeRun(test.database, run, { state: n === 0 ? 'unchanged' : 'failed' })
        runs.push(run)
      }
      return runs.map(({ id }) => id)
    }

    it('are a list by their start, with filters and pages', async () => {
      const { database } = test
      const [first, second, third] = await three()
      const table: [Partial<typeof page>, unknown[], number][] = [
        [{}, [first, second, third], 3],
        [{ descending: true, limit: 2 }, [third, second], 3],
        [{ offset: 1, limit: 1 }, [second], 3],
        [{ offset: 5 }, [], 3],
        [{ filter: where('reason', 'refresh') }, [second], 1],
        [{ filter: where('state', 'unchanged') }, [first], 1],
        [{ filter: where('id', third ?? '') }, [third], 1],
        [{ filter: where('startedOn', minutesAfter(1).toISOString(), '>=') }, [second, third], 2],
        [{ filter: where('endedOn', null) }, [third], 1],
      ]
      for (const [more, ids, total] of table) {
        const read = await readRuns(database, owner(), { ...page, ...more })
        expect([read.runs.map(({ id }) => id), read.total], JSON.stringify(more)).toEqual([ids, total])
      }
      expect(await readRuns(database, { ...owner(), instanceId: otherId }, page)).toEqual({ runs: [], total: 0 })
      expect((await listRuns(database, owner(), 2)).map(({ id }) => id)).toEqual([third, second])
    })

    it('are found one by one at their service', async () => {
      const { database } = test
      const { id } = await open()
      const scope = { instanceId, companyId, serviceId: connection.serviceId, id }
      expect(await findRun(database, scope)).toMatchObject({ id, connectionId: connection.id, state: 'running' })
      for (const wrong of [{ instanceId: otherId }, { companyId: randomUUID() }, { serviceId: randomUUID() }, { id: randomUUID() }])
        expect(await findRun(database, { ...scope, ...wrong })).toBe(null)
    })
  })
})
