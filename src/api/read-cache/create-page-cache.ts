import type { Database } from '../../store/db/database.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { listPublicationChanges, READ_LEASE_MS } from '../../store/records/publication-changes.ts'
import { findVersions } from '../../store/records/publications.ts'
import { PageCache } from './page-cache.ts'
import { ReadLease } from './read-lease.ts'
import { VersionBatcher } from './version-batcher.ts'

/**
 * Page cache of this process. Version queries serve all readers together. `leaseMs` must be that of the publishers
 * (`Publishing.readLeaseMs`).
 */
export function createPageCache(database: Database, options: { maxBytes: number; leaseMs?: number }): PageCache {
  return new PageCache({
    maxBytes: options.maxBytes,
    versions: new VersionBatcher((keys) => acrossInstances(() => findVersions(database, keys))),
    lease: new ReadLease({
      leaseMs: options.leaseMs ?? READ_LEASE_MS,
      listChanges: () => acrossInstances(() => listPublicationChanges(database)),
      elapsedMs: () => performance.now(),
      now: () => new Date(),
    }),
  })
}
