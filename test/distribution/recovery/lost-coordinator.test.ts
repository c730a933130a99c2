import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { endLeases } from '../../../src/store/jobs/leases.ts'
import { openKeys } from '../../../src/store/keys/keys.ts'
import { runCommand } from '../../cli/run-command.ts'
import { findFaults } from '../../crash/checker.ts'
import { startEngine } from '../../crash/engine.ts'
import { changeBooks } from '../../crash/harness.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { effort } from '../../prove/effort.ts'
import { reportFigure } from '../../prove/figures.ts'
import { citusNote, lacksCitus, portOf } from '../cluster-database.ts'
import { addPair, listMarks, markPair } from './company-pair.ts'
import { COORDINATOR, openProxiedCluster, PROXIED, RECOVERED_MS } from './proxied-cluster.ts'

describe.skipIf(lacksCitus)(`a coordinator that is lost, its postmaster killed with SIGKILL${citusNote}`, () => {
  const nodes = openForTests(openProxiedCluster)
  /** A company on the worker behind the proxy. */
  let behind: string
  /** Two companies that nothing else writes to. */
  let pair: string[]

  beforeAll(async () => {
    const { at, proxy, harness } = nodes
    pair = await addPair(at)
    for (behind = ''; behind === ''; ) {
      const companyId = await harness.addCompany()
      if ((await portOf(at.admin, companyId)) === proxy.port) behind = companyId
    }
    for (const companyId of harness.companyIds) await harness.connect(companyId)
    await harness.finish()
  }, 240_000)

  const answers = (limitMs?: number) =>
    until(
      'the coordinator answers',
      () =>
        nodes.at.database
          .query('select 1')
          .then(() => true)
          .catch(() => null),
      limitMs,
    )
  const restart = async () => {
    await nodes.cluster.startAgain(COORDINATOR)
    await answers()
    // Leases held when it was lost last a minute.
    await endLeases(nodes.at.database)
  }
  it('once it has committed and a node has not: the publication is there, and its event is told once', async () => {
    const before = await nodes.countEvents()
    const { engine, lost } = await nodes.loseWithinCommit(behind, COORDINATOR)
    try {
      await lost
      await restart()
      await until('the event', async () => ((await nodes.countEvents()) > before ? true : null), RECOVERED_MS)
    } finally {
      await engine.stop()
    }
    expect(await nodes.findFaults()).toEqual([])
  }, 240_000)

  it(
    'during syncs, again and again: nothing that was acknowledged is lost or there by half, and the service goes on by itself',
    async () => {
      const { cluster, harness } = nodes
      const engine = startEngine({ ...harness.engineParts, onError: () => undefined })
      let acknowledged = 0
      let slowestMs = 0
      let isOver = false
      const marking = (async () => {
        for (let number = 1; !isOver; number += 1) {
          const isMade = await markPair(nodes.at.database, pair, String(number)).then(
            () => true,
            () => false,
          )
          if (isMade) acknowledged = number
          else await answers(RECOVERED_MS)
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
        const all = await listMarks(nodes.at.admin, pair)
        return new Set(all).size === 1 ? all : null
      })
      expect(Number(found[0])).toBeGreaterThanOrEqual(acknowledged)
      expect(acknowledged).toBeGreaterThan(effort.nodeKills)
      reportFigure('citus: SIGKILLs of the coordinator during syncs', effort.nodeKills)
      reportFigure('citus: transactions on two nodes meanwhile, none lost', acknowledged)
      reportFigure('citus: slowest way back to a coordinator that answers, s', (slowestMs / 1_000).toFixed(1))
    },
    60_000 + effort.nodeKills * 60_000,
  )

  it('is what doctor says of a coordinator, and of a worker by its name, until they are back', async () => {
    const { at, cluster, proxy } = nodes
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
      await cluster.kill(PROXIED)
      expect(await ask()).toMatchObject({ code: 1, ids: ['database-citus-node'], fact: expect.stringContaining(`127.0.0.1:${proxy.port}`) })
      await cluster.startAgain(PROXIED)
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
