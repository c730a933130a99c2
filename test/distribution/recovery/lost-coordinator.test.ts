import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../../../src/store/db/database.ts'
import { endLeases } from '../../../src/store/jobs/leases.ts'
import { openKeys } from '../../../src/store/keys/keys.ts'
import { listEvents } from '../../../src/store/webhooks/feed-pages.ts'
import { requestRefresh } from '../../../src/sync/connection/connection-actions.ts'
import { runCommand } from '../../cli/run-command.ts'
import { findFaults } from '../../crash/checker.ts'
import { startEngine } from '../../crash/engine.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../../crash/harness.ts'
import { until } from '../../process/deadline.ts'
import { effort } from '../../prove/effort.ts'
import { reportFigure } from '../../prove/figures.ts'
import { Cluster } from '../cluster.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus, portOf, programsOfCluster } from '../cluster-database.ts'
import { type CutProxy, openCutProxy } from '../cut-proxy.ts'
import { addPublished } from '../published.ts'

const SEED = Number(process.env.SEED ?? 4711)
const COORDINATOR = 0
const WORKER = 1
/** Longer than a start, and than the coordinator takes to look for parts that are not committed. */
const RECOVERED_MS = 60_000

describe.skipIf(lacksCitus)(`a coordinator that is lost, its postmaster killed with SIGKILL${citusNote}`, () => {
  let cluster: Cluster
  let proxy: CutProxy
  let at: ClusterDatabase
  let harness: CrashHarness
  /** A company on the worker behind the proxy. */
  let behind: string
  /** Two companies on different nodes, that nothing else writes to. */
  const pair: string[] = []

  beforeAll(async () => {
    cluster = await Cluster.start(await programsOfCluster(), 3, {
      'citus.recover_2pc_interval': '1s',
      'citus.node_connection_timeout': '2s',
    })
    const ports = cluster.url.match(/(?<=127\.0\.0\.1:)\d+/g)?.map(Number) ?? []
    proxy = await openCutProxy(ports[WORKER] ?? 0)
    at = await clusterDatabase({ url: cluster.url, workers: 2, hasOwner: true, reachedAt: ports.with(WORKER, proxy.port) })
    harness = await openCrashHarness(at.database, at.url, SEED)
    for (let round = 0; round < 4; round += 1) changeBooks(harness)
    const seen = new Set<number>()
    while (pair.length < 2) {
      const { companyId } = await addPublished(at.database)
      const port = await portOf(at.admin, companyId)
      if (!seen.has(port)) pair.push(companyId)
      seen.add(port)
    }
    for (behind = ''; behind === ''; ) {
      const companyId = await harness.addCompany()
      if ((await portOf(at.admin, companyId)) === proxy.port) behind = companyId
    }
    for (const companyId of harness.companyIds) await harness.connect(companyId)
    await harness.finish()
  }, 240_000)
  afterAll(async () => {
    await harness?.close()
    // The databases go with their cluster.
    await Promise.all([at?.database.end(), at?.admin.end()])
    await proxy?.close()
    await cluster?.stop()
  })

  const restart = async () => {
    await cluster.startAgain(COORDINATOR)
    await until('the coordinator answers', () =>
      at.database.query('select 1').then(
        () => true,
        () => null,
      ),
    )
    // Leases held when it was lost last a minute.
    await endLeases(at.database)
  }
  const placed = async () =>
    (await listEvents(at.database, { instanceId: harness.instanceId, after: null, limit: 500, mayReadAudit: false })).events.length
  const mark = (text: string) =>
    inTransaction(at.database, async (db) => {
      await db.query('update companies set city = $1 where id = any($2)', [text, pair])
      for (const companyId of pair) await db.query('update record_versions set sort_key = $1 where company_id = $2', [text, companyId])
    })
  const marks = async () => {
    const { rows: cities } = await at.admin.query<{ mark: string }>('select city as mark from companies where id = any($1)', [pair])
    const { rows: keys } = await at.admin.query<{ mark: string }>(
      'select sort_key as mark from record_versions where company_id = any($1)',
      [pair],
    )
    return [...cities, ...keys].map((row) => Number(row.mark))
  }

  it('once it has committed and a node has not: the publication is there, and its event is told once', async () => {
    const before = await placed()
    changeBooks(harness)
    await requestRefresh(harness.sync, harness.target(behind))
    const killed = Promise.withResolvers<void>()
    let isArmed = false
    const engine = startEngine({
      ...harness.engineParts,
      onError: () => undefined,
      crashPoint: async (point) => {
        if (point !== 'before-publish-commit' || isArmed) return
        isArmed = true
        proxy.cutAt('COMMIT PREPARED', () => void cluster.kill(COORDINATOR).then(killed.resolve, killed.reject))
      },
    })
    try {
      await killed.promise
      await restart()
      await until('the event', async () => ((await placed()) > before ? true : null), RECOVERED_MS)
    } finally {
      await engine.stop()
    }
    await harness.refreshAll()
    await harness.finish()
    expect(await findFaults(harness)).toEqual([])
  }, 240_000)

  it(
    'during syncs, again and again: nothing that was acknowledged is lost or there by half, and the service goes on by itself',
    async () => {
      const engine = startEngine({ ...harness.engineParts, onError: () => undefined })
      let acknowledged = 0
      let slowestMs = 0
      let isOver = false
      const marking = (async () => {
        for (let number = 1; !isOver; number += 1) {
          const isMade = await mark(String(number)).then(
            () => true,
            () => false,
          )
          if (isMade) acknowledged = number
          else
            await until(
              'the coordinator answers',
              () =>
                at.database
                  .query('select 1')
                  .then(() => true)
                  .catch(() => null),
              RECOVERED_MS,
            )
        }
      })()
      try {
        for (let kill = 0; kill < effort.nodeKills; kill += 1) {
          changeBooks(harness)
          await harness.refreshAll()
          await Promise.race([harness.contacts(1 + harness.random.below(8)), until('the calls', () => null, 2_000).catch(() => undefined)])
          await cluster.kill(COORDINATOR)
          const startedMs = performance.now()
          await restart()
          slowestMs = Math.max(slowestMs, performance.now() - startedMs)
        }
        await harness.whenDone()
      } finally {
        isOver = true
        await marking
        await engine.stop()
      }
      await harness.finish()
      expect(await findFaults(harness)).toEqual([])
      const found = await until('every node has finished its commits', async () => {
        const all = await marks()
        return new Set(all).size === 1 ? all : null
      })
      expect(found[0]).toBeGreaterThanOrEqual(acknowledged)
      expect(acknowledged).toBeGreaterThan(effort.nodeKills)
      reportFigure('citus: SIGKILLs of the coordinator during syncs', effort.nodeKills)
      reportFigure('citus: transactions on two nodes meanwhile, none lost', acknowledged)
      reportFigure('citus: slowest way back to a coordinator that answers, s', (slowestMs / 1_000).toFixed(1))
    },
    60_000 + effort.nodeKills * 60_000,
  )

  it('is what doctor says of a coordinator, and of a worker by its name, until they are back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-doctor-'))
    const ask = async () => {
      const { stdout, code } = await runCommand(['doctor', '--json'], { DATA_DIR: folder, DATABASE_URL: at.url })
      const { findings } = JSON.parse(stdout) as { findings: { id: string; fact: string }[] }
      const told = findings.filter(({ id }) => id.startsWith('database-citus') || id === 'database-unreachable')
      return { code, ids: told.map(({ id }) => id), fact: told[0]?.fact ?? '' }
    }
    await openKeys(folder)
    try {
      const before = await ask()
      expect(before.ids).toEqual([])
      await cluster.kill(WORKER)
      expect(await ask()).toMatchObject({ code: 1, ids: ['database-citus-node'], fact: expect.stringContaining(`127.0.0.1:${proxy.port}`) })
      await cluster.startAgain(WORKER)
      expect(await ask()).toEqual(before)
      await cluster.kill(COORDINATOR)
      expect(await ask()).toMatchObject({ code: 1, ids: ['database-unreachable'] })
      await restart()
      expect(await ask()).toEqual(before)
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 240_000)
})
