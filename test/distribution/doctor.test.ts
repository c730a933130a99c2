import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckId } from '../../src/cli/doctor/checks.ts'
import { CITUS_FAULTS } from '../cli/machine-faults.ts'
import { runCommand } from '../cli/run-command.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from './cluster-database.ts'

interface CitusFinding {
  id: CheckId
  fact: string
}

describe.skipIf(lacksCitus)(`doctor on a cluster of Citus${citusNote}`, () => {
  let folder: string
  let cluster: ClusterDatabase
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-doctor-'))
  })
  afterAll(async () => await rm(folder, { recursive: true }))

  const ask = async (): Promise<CitusFinding[]> => {
    const { stdout } = await runCommand(['doctor', '--json'], { DATA_DIR: folder, DATABASE_URL: cluster.url })
    const { findings } = JSON.parse(stdout) as { findings: CitusFinding[] }
    return findings.filter(({ id }) => id.startsWith('database-citus') || id === 'database-unsuitable')
  }
  const ids = async () => (await ask()).map(({ id }) => id)
  const seen = new Set<CheckId>()

  describe('with every table on the coordinator', () => {
    beforeAll(async () => {
      cluster = await clusterDatabase({ workers: 2 })
    }, 240_000)
    afterAll(async () => await cluster?.drop())

    it('says that the nodes hold nothing, and names one that is not active', async () => {
      const [, worker] = cluster.ports
      expect(await ids()).toEqual(['database-citus-unused'])
      await cluster.admin.query('select citus_disable_node($1, $2, true)', ['127.0.0.1', worker])
      const told = await ask()
      expect(told.map(({ id }) => id)).toEqual(['database-citus-node', 'database-citus-unused'])
      expect(told[0]?.fact).toContain(`127.0.0.1:${worker}`)
      for (const { id } of told) seen.add(id)
    }, 240_000)
  })

  describe('with tables that it distributes', () => {
    beforeAll(async () => {
      cluster = await clusterDatabase({ workers: 2, hasOwner: true })
    }, 240_000)
    afterAll(async () => await cluster?.drop())

    it('finds nothing, and names a node that commits without waiting for the disk', async () => {
      expect(await ids()).toEqual([])
      const [coordinator] = cluster.ports
      const name = new URL(cluster.url).pathname.slice(1)
      await cluster.admin.query(`alter database ${name} set synchronous_commit = off`)
      const told = await ask()
      expect(told.map(({ id }) => id)).toEqual(['database-citus-commit'])
      expect(told[0]?.fact).toContain(`127.0.0.1:${coordinator}`)
      for (const { id } of told) seen.add(id)
    }, 240_000)
  })

  it('these are all its checks of a cluster', () => expect([...seen].toSorted()).toEqual([...CITUS_FAULTS].toSorted()))
})
