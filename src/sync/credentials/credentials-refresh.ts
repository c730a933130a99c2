import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, type Credentials, SourceError } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import { backoffMs } from '../../jobs/worker.ts'
import { saveVersion, shredVersions } from '../../store/connections/credential-versions.ts'
import { type CredentialsGenerationKey, type FreshCredentials, writeRefreshed } from '../../store/connections/credentials.ts'
import { claimRefresh, holdLivenessLock, releaseRefresh } from '../../store/connections/credentials-lease.ts'
import { inTransaction } from '../../store/db/database.ts'
import type { Clock, Log } from '../context/groups.ts'
import { timedKit } from '../sources/timed-kit.ts'
import type { CredentialsContext } from './context.ts'
import { type ConnectionKey, type OpenCredentials, readCredentials, type StoredCredentials, sealCredentials } from './credentials.ts'
import { clearAlarm, raiseClientAlarm, refuseWhileAlarmed } from './credentials-alarm.ts'
import { reconcileVersions, sealVersion } from './credentials-versions.ts'
import { queueRevocationOf } from './revocation.ts'

/** Attempts to store a fresh set, which cannot be obtained again: about half a minute in all. */
const KEEP_TRIES = 20
const MAX_KEEP_WAIT_MS = 2_000

/** Context of one refresh. */
interface Refresh {
  deps: CredentialsContext
  source: Source
  connector: Connector
  connectionKey: ConnectionKey
  owner: string
}

/**
 * Refreshes the stored credentials unless another process does. `held`: another one does; `moved`: a newer generation
 * exists and must be read. Whatever happens after the source has answered, the fresh set is stored
 * (`credential_versions`).
 */
export async function tryRefresh(
  deps: CredentialsContext,
  source: Source,
  connector: Connector,
  connectionKey: ConnectionKey,
  open: StoredCredentials,
): Promise<OpenCredentials | 'held' | 'moved'> {
  if (open.refreshInMs > 0) {
    throw new SourceError('rateLimited', 'the last refresh failed, the next one has to wait', { retryAfterMs: open.refreshInMs })
  }
  const life = await holdLivenessLock(deps.database, connectionKey.instanceId, connectionKey.id)
  try {
    const owner = randomUUID()
    if (!(await claimRefresh(deps.database, generationOf(connectionKey, open), owner, life !== null))) return 'held'
    return await refresh({ deps, source, connector, connectionKey, owner }, open)
  } finally {
    await life?.end()
  }
}

async function refresh(work: Refresh, open: StoredCredentials): Promise<OpenCredentials | 'moved'> {
  const { deps, source, connectionKey } = work
  try {
    // A version that a killed or overtaken process stored but could not activate.
    if ((await reconcileVersions(deps.database, deps, connectionKey)) === 'moved') return 'moved'
    const answer = await requestWithRetry(work, open)
    return answer === 'moved' ? 'moved' : await activateVersion(work, open, answer)
  } catch (error) {
    if (error instanceof SourceError && error.isClientRefused) await raiseClientAlarm(deps, source, error)
    await releaseRefresh(deps.database, toLeaseKey(connectionKey), work.owner, waitAfter(error, open.refreshFailures + 1)).catch(
      (failure: unknown) =>
        deps.log.warn({ connectionId: connectionKey.id, err: failure }, 'the lease of a failed refresh could not be released; it expires'),
    )
    throw error
  }
}

interface Answer {
  credentials: Credentials
  issuedAt: Date
}

/** Only a second rejection, after re-reading the row, means that the owner has to act. */
async function requestWithRetry(work: Refresh, open: StoredCredentials): Promise<Answer | 'moved'> {
  try {
    return await ask(work, open.credentials)
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect') throw error
    await reconcileVersions(work.deps.database, work.deps, work.connectionKey)
    const now = await readCredentials(work.deps.database, work.deps, work.connectionKey)
    return now.generation === open.generation ? await ask(work, now.credentials) : 'moved'
  }
}

async function ask(work: Refresh, credentials: Credentials): Promise<Answer> {
  const { deps, source, connector } = work
  if (!connector.refreshCredentials) throw new Error('these credentials are never refreshed')
  await refuseWhileAlarmed(deps.database, deps.hashToken, source)
  const { kit, answeredAt } = timedKit(source.kit)
  const fresh = await connector.refreshCredentials(kit, credentials)
  await deps.crashPoint?.('after-provider-token-before-commit')
  return { credentials: fresh, issuedAt: answeredAt() }
}

/**
 * Stores the set first, then moves the connection to it: losing the lease, or the process, in between loses nothing.
 */
async function activateVersion(work: Refresh, open: StoredCredentials, answer: Answer): Promise<OpenCredentials | 'moved'> {
  const { deps, source, connectionKey, owner } = work
  const from = generationOf(connectionKey, open)
  const id = randomUUID()
  const times = timesOf(deps, answer)
  const isKept = await keepTrying(deps.log, () =>
    saveVersion(deps.database, from, id, {
      ...times,
      sealed: sealVersion(deps.sealer, connectionKey, id, open.generation, answer.credentials),
    }),
  )
  if (!isKept) {
    // The connection has ended in the meantime: the unused set is revoked.
    const access = { ...connectionKey, connectorKey: source.description.key, sourceKeysId: source.keysOf?.id ?? null }
    await queueRevocationOf(deps.database, deps, access, answer.credentials)
    return 'moved'
  }
  await deps.crashPoint?.('after-token-version-before-move')
  const generation = open.generation + 1
  const fresh: FreshCredentials = { ...times, sealed: sealCredentials(deps, connectionKey, generation, answer.credentials) }
  const isMoved = await inTransaction(deps.database, async (db) => {
    if (!(await writeRefreshed(db, from, owner, fresh))) return false
    await shredVersions(db, connectionKey.instanceId, connectionKey.id, times.issuedAt)
    return true
  })
  await clearAlarm(deps.database, deps.log, source)
  if (isMoved) return { credentials: answer.credentials, generation }
  await reconcileVersions(deps.database, deps, connectionKey)
  return 'moved'
}

/**
 * Credentials are refreshed after four fifths of their lifetime, with a jitter of a tenth, so that connections made
 * together drift apart.
 */
const WELCOME_AFTER = 0.8
const JITTER = 0.1

/** Refresh time of a set received now. */
export function refreshAtOf(now: Date, expiresAt: string | null, random = Math.random()): Date | null {
  if (expiresAt === null) return null
  const share = WELCOME_AFTER * (1 + JITTER * (2 * random - 1))
  return new Date(now.getTime() + share * Math.max(0, Date.parse(expiresAt) - now.getTime()))
}

function timesOf(clock: Clock, { credentials, issuedAt }: Answer): Omit<FreshCredentials, 'sealed'> {
  const { expiresAt } = credentials
  return {
    issuedAt,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    refreshAt: refreshAtOf(clock.now(), expiresAt),
  }
}

/** Backoff for all callers; null where waiting does not help or the alarm covers it. */
function waitAfter(error: unknown, failures: number): number | null {
  if (!(error instanceof SourceError) || error.kind === 'reconnect' || error.isClientRefused) return null
  return Math.max(error.retryAfterMs ?? 0, backoffMs(failures))
}

async function keepTrying<T>(log: Log, keep: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await keep()
    } catch (error) {
      if (attempt === KEEP_TRIES) throw error
      log.warn({ err: error, attempt }, 'refreshed credentials could not be stored yet')
      await delay(Math.min(MAX_KEEP_WAIT_MS, 100 * 2 ** attempt))
    }
  }
}

function toLeaseKey(connectionKey: ConnectionKey): { instanceId: string; connectionId: string } {
  return { instanceId: connectionKey.instanceId, connectionId: connectionKey.id }
}

function generationOf(connectionKey: ConnectionKey, open: OpenCredentials): CredentialsGenerationKey {
  return { ...toLeaseKey(connectionKey), generation: open.generation }
}
