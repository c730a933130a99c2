import { setTimeout as wait } from 'node:timers/promises'
import type { Source } from '../../connectors/sources.ts'
import type { Json } from '../../model/values/json.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { announceJobs, ensureJob, isDueOrRunning } from '../../store/jobs/jobs.ts'
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

/** A directory that has lost more than this share at once is taken for a fault of the source, not for the end of so many banks. */
const MAX_LOST = 0.5
/** What was connected in so many days decides which banks are shown first. */
const POPULARITY_DAYS = 90
const LOOK_EVERY_MS = 50

/** Reads an aggregator's directory through and closes what is no longer in it; gives how many institutions there are. */
export async function syncDirectory(deps: Store & Clock & Logging, source: Source): Promise<number> {
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
  const { key } = source.description
  const known = await countInstitutions(deps.database, key)
  if (count < known * (1 - MAX_LOST))
    deps.log.warn({ connector: key, known, listed: count }, 'a directory has shrunk too much to be believed')
  else await closeUnseenInstitutions(deps.database, key, startedAt)
  await countConnectedInstitutions(deps.database, key, new Date(startedAt.getTime() - POPULARITY_DAYS * 86_400_000))
  if (connector.listPopularInstitutions) await rankInstitutions(deps.database, key, await connector.listPopularInstitutions(source.kit))
  return count
}

/**
 * Queues the reading of each directory unless it is queued or running already; one that has died comes back by this. Those of the sandbox
 * wait until somebody wants a bank: a simulator that nobody tries stays unloaded.
 */
export async function queueDirectories(deps: Store & Vault & Catalogue): Promise<void> {
  for (const source of deps.sources.values()) {
    const isWanted = source.environment === 'production' || (await hasInstitutions(deps.database, source.description.key))
    if (isWanted) await queueDirectory(deps, source)
  }
}

/**
 * Somebody is about to look for a bank of this source: a directory that was never read is queued, and waited for so long. False: it is still not
 * there, so that an empty answer would say nothing.
 */
export async function ensureDirectory(deps: Store & Vault & Catalogue, source: Source, patienceMs = 0): Promise<boolean> {
  const { key, hasInstitutions: hasAny } = source.description
  if (!hasAny || (await hasInstitutions(deps.database, key))) return true
  if (!(await queueDirectory(deps, source))) return true
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    await wait(LOOK_EVERY_MS)
    const isReading = await acrossInstances(() => isDueOrRunning(deps.database, 'directory', jobKey(key)))
    if (!isReading) return await hasInstitutions(deps.database, key)
  }
  return false
}

/** Also when it is one instance's owner who looks: it is read for all. False where nobody has keys to read it with. */
async function queueDirectory(deps: Store & Vault & Catalogue, source: Source): Promise<boolean> {
  const { description } = source
  return await acrossInstances(async () => {
    if (!description.hasInstitutions || !(await sourceOfDeployment(deps, source)).isEnabled) return false
    const { key } = description
    const job = { instanceId: SYSTEM_INSTANCE_ID, kind: 'directory', key: jobKey(key), provider: key, payload: { connectorKey: key } }
    await ensureJob(deps.database, job)
    await announceJobs(deps.database)
    return true
  })
}

function jobKey(connectorKey: string): string {
  return `directory/${connectorKey}`
}
