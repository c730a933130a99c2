import { describe, expect, it } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { ARCHIVED, Cluster } from '../cluster.ts'
import { citusNote, clusterDatabase, lacksCitus, programsOfCluster } from '../cluster-database.ts'
import { addPair, listMarks, markPair } from './company-pair.ts'

const POINT = 'noon'
const NODES = [0, 1, 2]

describe.skipIf(lacksCitus)(`nodes that are backed up themselves${citusNote}`, () => {
  const nodes = openForTests(async () => {
    const cluster = await Cluster.start(await programsOfCluster(), NODES.length, { ...ARCHIVED, 'citus.recover_2pc_interval': '1s' })
    try {
      const at = await clusterDatabase({ url: cluster.url, workers: 2, hasOwner: true })
      const close = async () => {
        await Promise.all([at.admin.end(), at.database.end()])
        await cluster.stop()
      }
      return { cluster, at, close }
    } catch (error) {
      await cluster.stop()
      throw error
    }
  })

  it('return to one restore point, with all parts of each transaction or none', { timeout: 300_000 }, async () => {
    const { cluster, at } = nodes
    const { admin, database } = at
    const pair = await addPair(at)
    const mark = (number: number) => markPair(database, pair, String(number))
    const marks = async () => (await listMarks(admin, pair)).map(Number)

    let begun = 0
    let acknowledged = 0
    let isOver = false
    const writing = (async () => {
      while (!isOver) {
        begun += 1
        await mark(begun)
        acknowledged = begun
      }
    })()
    const further = async (count: number) => {
      const wanted = acknowledged + count
      await until('further transactions', async () => (acknowledged >= wanted ? true : null))
    }
    for (const number of NODES) await cluster.backUp(number)
    await further(20)
    const least = acknowledged
    await admin.query('select citus_create_restore_point($1)', [POINT])
    const most = begun
    await further(20)
    isOver = true
    await writing
    expect(new Set(await marks())).toEqual(new Set([acknowledged]))

    for (const number of NODES) await cluster.lose(number)
    for (const number of NODES) await cluster.restore(number, POINT)
    // A part that was prepared is committed by the coordinator as soon as it has looked.
    const found = await until('all nodes agree', async () => {
      const all = await marks().catch(() => [])
      return all.length === 4 && new Set(all).size === 1 ? (all[0] ?? null) : null
    })
    expect(found).toBeGreaterThanOrEqual(least)
    expect(found).toBeLessThanOrEqual(most)
    expect((await admin.query('select * from pg_prepared_xacts')).rows).toEqual([])
    await addPair(at)
    await mark(-1)
    expect(new Set(await marks())).toEqual(new Set([-1]))
  })
})
