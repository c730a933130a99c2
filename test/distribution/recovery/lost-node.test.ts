import { beforeAll, describe, expect, it } from 'vitest'
import { listPublicationChanges } from '../../../src/store/records/publication-changes.ts'
import { findPublication } from '../../../src/store/records/publications.ts'
import { findFaults } from '../../crash/checker.ts'
import { startEngine } from '../../crash/engine.ts'
import { changeBooks } from '../../crash/harness.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { effort } from '../../prove/effort.ts'
import { reportFigure } from '../../prove/figures.ts'
import { citusNote, lacksCitus, portOf } from '../cluster-database.ts'
import { openProxiedCluster, PROXIED, RECOVERED_MS } from './proxied-cluster.ts'

const READ_LEASE_MS = 20

describe.skipIf(lacksCitus)(`a node that is lost, its processes killed with SIGKILL${citusNote}`, () => {
  const nodes = openForTests(openProxiedCluster)
  /** A company on the node that is lost, and one on another. */
  let lost: string
  let other: string

  beforeAll(async () => {
    const { at, proxy, harness } = nodes
    const found = new Map<boolean, string>()
    while (found.size < 2) {
      const companyId = await harness.addCompany()
      found.set((await portOf(at.admin, companyId)) === proxy.port, companyId)
    }
    lost = found.get(true) ?? ''
    other = found.get(false) ?? ''
    harness.companyIds.splice(0, harness.companyIds.length, lost, other)
    for (const companyId of harness.companyIds) await harness.connect(companyId)
    await harness.finish()
  }, 240_000)

  const committed = async () => {
    const { rows } = await nodes.at.database.query<{ count: number }>('select count(*)::int as count from events where instance_id = $1', [
      nodes.harness.instanceId,
    ])
    return rows[0]?.count ?? 0
  }

  it('between the two phases of a publication: no event tells of it and no page is kept before the node shows it', async () => {
    const { at, cluster, harness } = nodes
    const before = await nodes.countEvents()
    const { engine, lost: isLost } = await nodes.loseWithinCommit(lost, PROXIED, READ_LEASE_MS)
    try {
      await isLost
      // The coordinator has committed its half.
      await until('the events of the publication', async () => ((await committed()) > before ? true : null))
      expect(await nodes.countEvents()).toBe(before)
      await expect(findPublication(at.database, harness.target(lost))).rejects.toThrow()
      expect(await findPublication(at.database, harness.target(other))).not.toBeNull()
      const { changes } = await listPublicationChanges(at.database)
      expect(changes.filter(({ isOpen }) => isOpen)).toHaveLength(1)
      await cluster.startAgain(PROXIED)
      await until('the events, once the node has recovered', async () => ((await nodes.countEvents()) > before ? true : null), RECOVERED_MS)
    } finally {
      await engine.stop()
    }
    expect(await nodes.findFaults()).toEqual([])
  }, 240_000)

  it(
    'during syncs, again and again: nothing is lost or half published, and everything goes on by itself',
    async () => {
      const { at, cluster, harness, proxy } = nodes
      const logged: unknown[] = []
      const namesNode = () => (logged.some((error) => String(error).includes(`127.0.0.1:${proxy.port}`)) ? true : null)
      const engine = startEngine({ ...harness.engineParts, onError: (error) => logged.push(error) })
      try {
        for (let kill = 0; kill < effort.nodeKills; kill += 1) {
          changeBooks(harness)
          await harness.refreshAll()
          await Promise.race([harness.contacts(1 + harness.random.below(8)), until('the calls', () => null, 2_000).catch(() => undefined)])
          await cluster.kill(PROXIED)
          expect(await findPublication(at.database, harness.target(other))).not.toBeNull()
          await until('the log names the lost node', namesNode, RECOVERED_MS)
          await cluster.startAgain(PROXIED)
        }
        await harness.whenDone()
      } finally {
        await engine.stop()
      }
      await harness.finish()
      expect(await findFaults(harness)).toEqual([])
      reportFigure('citus: SIGKILLs of a node during syncs', effort.nodeKills)
    },
    60_000 + effort.nodeKills * 60_000,
  )
})
