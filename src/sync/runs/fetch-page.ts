import { type Connector, type Kit, type Page, type Pull, type Session, SourceError } from '../../connectors/contract/contract.ts'
import { SourcePaused } from '../../connectors/contract/rate-limiter.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Json } from '../../model/values/json.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { findNextFile } from '../../store/sources/source-files.ts'
import type { CredentialsContext } from '../credentials/context.ts'
import type { RunCredentials } from '../credentials/run-credentials.ts'

/** Context for calling a source for a connection. */
export interface FetchContext {
  deps: CredentialsContext
  source: Source
  connector: Connector
  connection: Connection
  credentials: RunCredentials
}

/** Thrown when something that the run remembers no longer exists at the source: a retry would never succeed. */
export class GoneAtSource extends SourceError {
  constructor({ kind, message, isClientRefused, reason }: SourceError, cause: unknown) {
    super(kind, message, { isClientRefused, reason, cause })
  }
}

/** Fetches one page; when the source rejects the credentials, refreshes them and retries once. */
export async function fetchPage(work: FetchContext, pull: Pull, cursor: Json | null): Promise<Page> {
  try {
    return await fetchOnce(work, pull, cursor)
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect' || !work.connector.refreshCredentials) throw error
    await work.credentials.renew()
    return await fetchOnce(work, pull, cursor)
  }
}

/** Throws `GoneAtSource` for a 404 or 410 of the source. */
async function fetchOnce(work: FetchContext, pull: Pull, cursor: Json | null): Promise<Page> {
  let isGone = false
  const kit: Kit = {
    ...work.source.kit,
    http: async (request) => {
      const response = await work.source.kit.http(request)
      if (response.status === 404 || response.status === 410) isGone = true
      return response
    },
  }
  try {
    return await pauseOnRateLimit(work.source, () => pull.fetch(session(work, kit), cursor))
  } catch (error) {
    const mayBeGone = error instanceof SourceError && (error.kind === 'unavailable' || error.kind === 'badData')
    throw isGone && mayBeGone ? new GoneAtSource(error, error) : error
  }
}

/** Pauses all calls on rate limiting that only the connector recognizes. */
async function pauseOnRateLimit<T>(source: Source, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isAsked = error instanceof SourceError && error.kind === 'rateLimited' && !(error instanceof SourcePaused)
    if (isAsked && error.retryAfterMs !== null) await source.pause(error.retryAfterMs)
    throw error
  }
}

function session(work: FetchContext, kit: Kit): Session {
  const { deps, connection, credentials } = work
  return {
    kit,
    credentials: credentials.current.credentials,
    entityId: connection.entityId ?? '',
    nextFile: async (after) => {
      const file = await findNextFile(deps.database, connection, after)
      if (!file) return null
      const context = { instanceId: connection.instanceId, table: 'source_files', rowId: file.id, column: 'sealed' }
      return { id: file.id, name: file.name, bytes: await deps.sealer.openLarge(context, file.sealed) }
    },
  }
}
