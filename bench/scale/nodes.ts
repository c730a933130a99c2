import { randomUUID } from 'node:crypto'
import { type Database, databaseTime, inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { raisePublication } from '../../src/store/records/publications.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { NATURAL_ORDER, readRecordPage } from '../../src/store/records/record-pages.ts'
import { clusterDatabase } from '../../test/distribution/cluster-database.ts'
import { addPublished } from '../../test/distribution/published.ts'
import { type Published, writeFirst } from '../../test/distribution/record-statements.ts'

const COMPANIES = 60
const CLIENTS = 6
const SECONDS = 8
const COLUMNS = recordColumns('Banking', 'Accounts')
const PAGE = { filter: [], orderBy: NATURAL_ORDER, descending: false, limit: 20, offset: 0 }

/** What a database did in a second, by its nodes with shards; 0: the tables are on the coordinator. */
export interface NodeFigures {
  nodes: number
  reads: number
  publications: number
}

/** Measures pages that are read and publications of one account each, by six clients, on databases of 0 to 3 nodes. */
export async function* measureNodes(): AsyncGenerator<NodeFigures> {
  for (const nodes of [0, 1, 2, 3]) {
    const cluster = await clusterDatabase({ workers: nodes, hasOwner: nodes > 0 })
    const { database } = cluster
    const companies: Published[] = []
    for (let number = 0; number < COMPANIES; number += 1) companies.push(await addPublished(database))
    const reads = await perSecond(companies, (of) => readRecordPage(database, of, 'Accounts', PAGE, {}, COLUMNS, () => null))
    const publications = await perSecond(companies, (of) => publish(database, of))
    await cluster.drop()
    yield { nodes, reads, publications }
  }
}

async function publish(database: Database, of: Published): Promise<void> {
  await inTransaction(database, async (db) => {
    await writeFirst(db, of, randomUUID())
    await raisePublication(db, of, { at: await databaseTime(db), isFirst: false }, 0)
  })
}

async function perSecond(companies: readonly Published[], work: (of: Published) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  let done = 0
  const client = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() - startedMs < SECONDS * 1_000; turn += CLIENTS) {
      const of = companies[turn % companies.length]
      if (!of) return
      await withinInstance(of.instanceId, () => work(of))
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  return Math.round((done * 1_000) / (performance.now() - startedMs))
}
