import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Clock } from '../context/groups.ts'
import type { CredentialsContext } from './context.ts'
import { type ConnectionKey, type OpenCredentials, readCredentials, type StoredCredentials } from './credentials.ts'
import { refuseWhileAlarmed } from './credentials-alarm.ts'
import { tryRefresh } from './credentials-refresh.ts'

/** Poll interval while another process refreshes: starts here and doubles up to `MAX_LOOK_MS`. */
const FIRST_LOOK_MS = 50
const MAX_LOOK_MS = 500
/** Longer than a refresh takes; after that the job is retried later. */
const WAIT_MS = 30_000

/**
 * Opens the connection's credentials, refreshed first when they are about to expire or when the source rejected
 * generation `rejected`. Across all processes one caller refreshes, by a lease in the database; the others wait for its
 * result, or use what is still valid. Throws `SourceError('reconnect')` when the source rejects the refresh.
 */
export async function openCredentials(
  deps: CredentialsContext,
  source: Source,
  connector: Connector,
  connectionKey: ConnectionKey,
  rejected: number | null = null,
): Promise<OpenCredentials> {
  const start = performance.now()
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, MAX_LOOK_MS)) {
    const open = await readCredentials(deps.database, deps, connectionKey)
    if (!connector.refreshCredentials) {
      if (open.generation === rejected) throw new SourceError('reconnect', 'the source refused the credentials')
      await refuseWhileAlarmed(deps.database, deps.hashToken, source)
      return open
    }
    const need = needOf(deps, open, rejected)
    if (need === 'none') return open
    try {
      const fresh = await tryRefresh(deps, source, connector, connectionKey, open)
      if (fresh === 'moved') continue
      if (fresh !== 'held') return fresh
      if (need === 'welcome') return open
    } catch (error) {
      if (need === 'welcome' && error instanceof SourceError && error.kind !== 'reconnect') return open
      throw error
    }
    if (performance.now() - start > WAIT_MS) {
      throw new SourceError('rateLimited', 'another process holds the refresh of these credentials', { retryAfterMs: WAIT_MS })
    }
    await delay(lookMs)
  }
}

function needOf(clock: Clock, open: StoredCredentials, rejected: number | null): 'none' | 'welcome' | 'due' {
  const { expiresAt } = open.credentials
  const nowMs = clock.now().getTime()
  if (open.generation === rejected || (expiresAt !== null && Date.parse(expiresAt) <= nowMs)) return 'due'
  return open.refreshAt !== null && open.refreshAt.getTime() <= nowMs && open.refreshInMs === 0 ? 'welcome' : 'none'
}
