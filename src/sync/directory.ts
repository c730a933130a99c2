import type { Source } from '../connectors/sources.ts'
import type { Json } from '../model/json.ts'
import { closeUnseenInstitutions, saveInstitutions } from '../store/institutions.ts'
import { ensureJob } from '../store/jobs.ts'
import type { SyncDeps } from './deps.ts'
import { HOUSE } from './house.ts'

/** Reads an aggregator's directory through and closes what is no longer in it; gives how many institutions there are. */
export async function syncDirectory(deps: SyncDeps, source: Source): Promise<number> {
  const connector = await source.load()
  if (!connector.listInstitutions) return 0
  const startedAt = deps.now()
  let cursor: Json | null = null
  let count = 0
  do {
    const page: Awaited<ReturnType<typeof connector.listInstitutions>> = await connector.listInstitutions(source.kit, cursor)
    await saveInstitutions(deps.database, source.description.key, startedAt, page.institutions)
    count += page.institutions.length
    cursor = page.next
  } while (cursor !== null)
  // An empty directory is a fault of the source, not the end of all banks.
  if (count > 0) await closeUnseenInstitutions(deps.database, source.description.key, startedAt)
  return count
}

/** Queues the reading of each directory unless it is queued or running already; one that has died comes back by this. */
export async function queueDirectories(deps: SyncDeps): Promise<void> {
  for (const { description, isEnabled } of deps.sources.values()) {
    if (!isEnabled || !description.hasInstitutions) continue
    const { key } = description
    const job = { instanceId: HOUSE, kind: 'directory', key: `directory/${key}`, provider: key, payload: { connectorKey: key } }
    await ensureJob(deps.database, job)
  }
}
