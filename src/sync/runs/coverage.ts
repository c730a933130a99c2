import type { Category, Entity } from '../../model/catalogue.ts'
import type { Db } from '../../store/db/database.ts'
import { enqueueJob } from '../../store/jobs/jobs.ts'
import {
  type Coverage,
  type CoverageCounts,
  type CoverageKey,
  countCoverage,
  countCoverageChange,
  countTouched,
  listCoverage,
  saveCoverage,
} from '../../store/records/coverage.ts'
import { toPublicationKey } from '../../store/records/publication-key.ts'
import { findPublication } from '../../store/records/publications.ts'
import type { RecordScope } from '../../store/records/records.ts'

/** Records counted per statement, well below the time limit. */
const BATCH = 20_000
/** Up to this many new versions the incremental count is cheaper. */
const FEW = 20_000

/** Queues a count after the publication's transaction. */
export async function queueCoverage(db: Db, scope: RecordScope, category: Category): Promise<void> {
  await enqueueJob(db, {
    instanceId: scope.instanceId,
    kind: 'coverage',
    key: `coverage/${toPublicationKey(scope)}`,
    payload: { companyId: scope.companyId, serviceId: scope.serviceId, category },
  })
}

/**
 * Coverage job: counts how many published records have a value in each field, incrementally since the last count, or
 * all of them where that is not possible. Safe to kill and repeat.
 */
export async function refreshCoverage(db: Db, scope: RecordScope, category: Category): Promise<void> {
  const publication = await findPublication(db, scope)
  if (!publication) return
  const known = await listCoverage(db, scope)
  const totals: Record<Entity, number> = { Accounts: publication.accounts, Transactions: publication.transactions }
  for (const entity of ['Accounts', 'Transactions'] as const) {
    const key = { ...scope, category, entity }
    const earlier = known.find((coverage) => coverage.entity === entity)
    const counts =
      (await countFurther(db, key, earlier, publication.publishedAt, totals[entity])) ?? (await countAll(db, key, publication.publishedAt))
    await saveCoverage(db, key, { ...counts, countedUntil: publication.publishedAt })
  }
}

/** Null if a full count is cheaper, or if records were erased without leaving a version. */
async function countFurther(
  db: Db,
  key: CoverageKey,
  earlier: Coverage | undefined,
  until: Date,
  total: number,
): Promise<CoverageCounts | null> {
  if (!earlier || earlier.countedUntil > until) return null
  if ((await countTouched(db, key, earlier.countedUntil, until, FEW + 1)) > FEW) return null
  const counts = plus(earlier, await countCoverageChange(db, key, earlier.countedUntil, until))
  return counts.total === total ? counts : null
}

async function countAll(db: Db, key: CoverageKey, at: Date): Promise<CoverageCounts> {
  let counts: CoverageCounts = { total: 0, filled: {} }
  for (let after: string | null = null; ; ) {
    const { last, ...batch } = await countCoverage(db, key, at, after, BATCH)
    counts = plus(counts, batch)
    if (batch.total < BATCH) return counts
    after = last
  }
}

function plus(a: CoverageCounts, b: CoverageCounts): CoverageCounts {
  const filled = Object.keys(b.filled).map((field) => [field, (a.filled[field] ?? 0) + (b.filled[field] ?? 0)])
  return { total: a.total + b.total, filled: Object.fromEntries(filled) }
}
