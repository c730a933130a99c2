import { setTimeout as wait } from 'node:timers/promises'
import type { Source } from '../../connectors/sources.ts'
import type { Json } from '../../model/values/json.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { ensureJob, isDueOrRunning } from '../../store/jobs/jobs.ts'
import {
  closeUnseenInstitutions,
  countConnectedInstitutions,
  countInstitutions,
  hasInstitutions,
  rankInstitutions,
  saveInstitutions,
} from '../../store/sources/institutions.ts'
import type { Catalogue, Clock, Logging, Store, Vault } from '../context/groups.ts'
import { SYSTEM_INSTANCE_ID } from '../context/system-instance.ts'
import { sourceOfDeployment } from './source-keys.ts'

/**
 * A directory that has lost more than this share at once indicates a fault of the source, not the end of so many banks.
 */
const MAX_LOST = 0.5
/** Period of connections that determine the popularity of banks. */
const POPULARITY_DAYS = 90
const LOOK_EVERY_MS = 50

/** Synchronizes an aggregator's directory and closes entries no longer in it; returns the number of institutions. */
export async function syncDirectory(deps: Store & Clock & Logging, source: Source): Promise<number> {
  const connector = await source.load()
  if (!connector.listInstitutions) return 0
  const startedAt = deps.now()
  let cursor: Json | null = null
  let count = 0
  do {
    const page: Awaited<ReturnType<typeof connector.listInstitutions>> = await connector.listInstitutions(source.kit, cursor)
    await saveInstitutions(deps.database, source.directory, startedAt, page.institutions)
    count += page.institutions.length
    cursor = page.next
  } while (cursor !== null)
  const { directory: key } = source
  const known = await countInstitutions(deps.database, key)
  if (count < known * (1 - MAX_LOST))
    deps.log.warn({ connector: key, known, listed: count }, 'directory sync rejected: too many institutions are missing')
  else await closeUnseenInstitutions(deps.database, key, startedAt)
  await countConnectedInstitutions(deps.database, key, new Date(startedAt.getTime() - POPULARITY_DAYS * 86_400_000))
  if (connector.listPopularInstitutions) await rankInstitutions(deps.database, key, await connector.listPopularInstitutions(source.kit))
  return count
}

/**
 * Queues a sync of each directory unless it is queued or running; this also revives dead ones. Sandbox directories wait
 * for the first search: an unused simulator stays unloaded.
 */
export async function queueDirectories(deps: Store & Vault & Catalogue): Promise<void> {
  for (const source of deps.sources.values()) {
    const isWanted = source.environment === 'production' || (await hasInstitutions(deps.database, source.directory))
    if (isWanted) await queueDirectory(deps, source)
  }
}

/** Whether a directory can be searched; in the other two states an empty result would be meaningless. */
type DirectoryState = 'known' | 'beingRead' | 'noKeys'

/** Called before a search: queues a directory that was never read, and waits for it up to `timeoutMs`. */
export async function ensureDirectory(deps: Store & Vault & Catalogue, source: Source, timeoutMs = 0): Promise<DirectoryState> {
  const { directory: key } = source
  if (!source.description.hasInstitutions || (await hasInstitutions(deps.database, key))) return 'known'
  if (!(await queueDirectory(deps, source))) return 'noKeys'
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    await wait(LOOK_EVERY_MS)
    const isReading = await acrossInstances(() => isDueOrRunning(deps.database, 'directory', jobKey(key)))
    if (!isReading && (await hasInstitutions(deps.database, key))) return 'known'
    if (!isReading) break
  }
  return 'beingRead'
}

/**
 * The directory is read for all instances, even if one instance's owner caused it. False where nobody has keys to read
 * it.
 */
async function queueDirectory(deps: Store & Vault & Catalogue, source: Source): Promise<boolean> {
  const { description } = source
  return await acrossInstances(async () => {
    // Real institutions in a sandbox are read with the keys of an instance, if it has any.
    const ownKeys = source.directory === description.key ? null : source.keysOf
    const reader = ownKeys ? source : await sourceOfDeployment(deps, source)
    if (!description.hasInstitutions || !reader.isEnabled || reader.directory !== source.directory) return false
    const { key } = description
    const payload = { connectorKey: key, ...(ownKeys ? { instanceId: ownKeys.instanceId } : {}) }
    const job = { instanceId: SYSTEM_INSTANCE_ID, kind: 'directory', key: jobKey(source.directory), provider: key, payload }
    await ensureJob(deps.database, job)
    return true
  })
}

function jobKey(directory: string): string {
  return `directory/${directory}`
}
