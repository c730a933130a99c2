import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { NATURAL_ORDER, readRecordPage } from '../../src/store/records/record-pages.ts'
import { clusterDatabase } from '../../test/distribution/cluster-database.ts'
import { openBank } from '../bank/bank.ts'
import { withChanges } from '../bank/changes.ts'
import { addTenant, type Deployment, openDatabaseOf, syncTenant, type Tenant } from '../deployment.ts'

const COMPANIES = 240
const ACCOUNTS = 20
const CLIENTS = 6
const SECONDS = 8
const COLUMNS = recordColumns('Banking', 'Accounts')
const PAGE = { filter: [], orderBy: NATURAL_ORDER, descending: false, limit: ACCOUNTS, offset: 0 }

/** What a database did in a second, by its nodes with shards; 0: the tables are on the coordinator. */
export interface NodeFigures {
  nodes: number
  /** Pages of 20 accounts. */
  reads: number
  /** Syncs of companies that were linked and not yet read. */
  firstSyncs: number
  /** Syncs that find one changed balance and publish it. */
  refreshes: number
}

/** Measures reads and the engine's syncs, by six clients of this process, on databases of 0 to 3 nodes. */
export async function* measureNodes(): AsyncGenerator<NodeFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-nodes-'))
  try {
    for (const nodes of [0, 1, 2, 3]) {
      const cluster = await clusterDatabase({ workers: nodes, hasOwner: nodes > 0 })
      const deployment = await openDatabaseOf(changingBank(), dataDir, cluster.url)
      // Nobody reads from a cache, so no publication waits for caches.
      const figures = await measure({ ...deployment, sync: { ...deployment.sync, readLeaseMs: 0 } })
      await deployment.close()
      await cluster.drop()
      yield { nodes, ...figures }
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A bank at which each customer has another first balance at each call. */
function changingBank() {
  const calls = new Map<string, number>()
  const countCall = (customer: string): number => {
    const count = (calls.get(customer) ?? 0) + 1
    calls.set(customer, count)
    return count % 10
  }
  return withChanges(openBank(ACCOUNTS), countCall, 1)
}

async function measure(deployment: Deployment): Promise<Omit<NodeFigures, 'nodes'>> {
  const { database, serviceId } = deployment
  // The first sync of a process compiles the mapping.
  await sync(deployment, await addTenant(deployment, 'warm-up'))
  const tenants: Tenant[] = []
  for (let number = 0; number < COMPANIES; number += 1) tenants.push(await addTenant(deployment, `customer-${number}`))
  const firstSyncs = await perSecond(
    tenants,
    (tenant) => sync(deployment, tenant),
    (turn) => turn < COMPANIES,
  )
  const refreshes = await perSecond(tenants, (tenant) => sync(deployment, tenant))
  const reads = await perSecond(tenants, (tenant) =>
    withinInstance(tenant.instanceId, () => readRecordPage(database, { ...tenant, serviceId }, 'Accounts', PAGE, {}, COLUMNS, () => null)),
  )
  return { reads, firstSyncs, refreshes }
}

async function sync(deployment: Deployment, tenant: Tenant): Promise<void> {
  const outcome = await syncTenant(deployment, tenant)
  if (outcome !== 'published') throw new Error(`a sync of a changed company ended as ${outcome}`)
}

/** Work on one tenant after the other by several clients, while `goesOn`: by default for some seconds. */
async function perSecond(
  tenants: readonly Tenant[],
  work: (tenant: Tenant) => Promise<unknown>,
  goesOn: (turn: number, elapsedMs: number) => boolean = (_turn, elapsedMs) => elapsedMs < SECONDS * 1_000,
): Promise<number> {
  const startedMs = performance.now()
  let done = 0
  const client = async (first: number): Promise<void> => {
    for (let turn = first; goesOn(turn, performance.now() - startedMs); turn += CLIENTS) {
      const tenant = tenants[turn % tenants.length]
      if (!tenant) return
      await work(tenant)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  return Math.round((done * 1_000) / (performance.now() - startedMs))
}
