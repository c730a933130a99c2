import { openBank } from './bank/bank.ts'
import { addTenant, type Deployment, databaseBytes, openDeployment, syncTenant, type Tenant } from './deployment.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { median, spread } from './statistics.ts'

/** Tables that a refresh without changes must not write to. */
const TABLES = ['record_versions', 'raw_pages', 'events', 'publications', 'staged_records', 'quarantined_records'] as const

/** First and unchanged syncs of many accounts through the real engine; time spent in the source is not counted. */
export async function benchSync(effort: Effort): Promise<Figure[]> {
  const { syncAccounts, syncRounds } = effort
  const bank = openBank(syncAccounts)
  const deployment = await openDeployment(bank)
  const timed = async (tenant: Tenant): Promise<number> => {
    const [startedMs, fetchedMs] = [performance.now(), bank.fetchedMs()]
    await syncTenant(deployment, tenant)
    const tookMs = performance.now() - startedMs - (bank.fetchedMs() - fetchedMs)
    return (syncAccounts / tookMs) * 1_000
  }
  try {
    // The first sync of a process compiles the mapping, once.
    await syncTenant(deployment, await addTenant(deployment, 'warm-up'))
    const first: number[] = []
    const unchanged: number[] = []
    const written = new Map<string, number>()
    const emptyBytes = await databaseBytes(deployment.database)
    for (let round = 1; round <= syncRounds; round++) {
      printProgress(`sync: round ${round} of ${syncRounds}`)
      const tenant = await addTenant(deployment, `customer-${round}`)
      first.push(await timed(tenant))
      const before = await mark(deployment)
      unchanged.push(await timed(tenant))
      for (const [table, count] of await countWritten(deployment, before)) written.set(table, (written.get(table) ?? 0) + count)
    }
    const bytes = ((await databaseBytes(deployment.database)) - emptyBytes) / (syncAccounts * syncRounds)
    const accounts = syncAccounts.toLocaleString('en-US')
    return [
      atLeast(`first sync of ${accounts} accounts, accounts/s after fetch`, median(first), 5_000, 0),
      untargeted('  of the rounds', spread(first, 0)),
      untargeted('  bytes of the database for each account', bytes.toFixed(0)),
      untargeted(
        `refresh of ${accounts} unchanged accounts, accounts/s after fetch`,
        median(unchanged).toLocaleString('en-US', { maximumFractionDigits: 0 }),
      ),
      ...TABLES.map((table) => atMost(`  rows written or removed in ${table}`, written.get(table) ?? 0, 0, 0)),
    ]
  } finally {
    await deployment.close()
  }
}

interface Mark {
  transaction: string
  counts: Map<string, number>
}

/** Position of the database: rows written by later transactions come after it. */
async function mark(deployment: Deployment): Promise<Mark> {
  const { rows } = await deployment.database.query<{ transaction: string }>('select pg_current_xact_id()::text as transaction')
  const counts = new Map<string, number>()
  for (const table of TABLES) counts.set(table, await count(deployment, `select count(*) as rows from ${table}`))
  return { transaction: rows[0]?.transaction ?? '', counts }
}

/**
 * Number of rows written (an update writes one) or removed since then, by table. The cluster is too young for
 * transaction id wraparound.
 */
async function countWritten(deployment: Deployment, since: Mark): Promise<Map<string, number>> {
  const written = new Map<string, number>()
  for (const table of TABLES) {
    const fresh = await count(deployment, `select count(*) as rows from ${table} where xmin::text::bigint >= $1::bigint`, [
      since.transaction,
    ])
    const left = await count(deployment, `select count(*) as rows from ${table} where xmin::text::bigint < $1::bigint`, [since.transaction])
    written.set(table, fresh + Math.max(0, (since.counts.get(table) ?? 0) - left))
  }
  return written
}

async function count(deployment: Deployment, text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await deployment.database.query<{ rows: string }>(text, values)
  return Number(rows[0]?.rows)
}
