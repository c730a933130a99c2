import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, type Credentials, SourceError } from '../connectors/contract.ts'
import type { Source } from '../connectors/sources.ts'
import type { Json } from '../model/json.ts'
import type { Connection } from '../store/connections.ts'
import { claimRefresh, findCredentials, releaseRefresh, writeRefreshed } from '../store/credentials.ts'
import type { SyncDeps } from './deps.ts'

/** Refresh this long before the end of life, so that no call starts with a token that dies on the way. */
const MARGIN_MS = 120_000
/** How often somebody who waits for another's refresh looks again. */
const POLL_MS = 100
const WAIT_MS = 70_000

export interface OpenCredentials {
  credentials: Credentials
  generation: number
}

type Place = Pick<Connection, 'instanceId' | 'id'>

/**
 * The connection's credentials, refreshed first when they are about to expire or when generation `rejected` was refused by the source.
 * Across all processes one caller refreshes, by a lease in the database; the others wait for its result.
 * Throws `SourceError('reconnect')` when the source will not renew them.
 */
export async function openCredentials(
  deps: SyncDeps,
  source: Source,
  connector: Connector,
  place: Place,
  rejected: number | null = null,
): Promise<OpenCredentials> {
  for (let waited = 0; waited <= WAIT_MS; waited += POLL_MS) {
    const open = await readCredentials(deps, place)
    if (!connector.refreshCredentials) {
      if (open.generation === rejected) throw new SourceError('reconnect', 'the source refused the credentials')
      return open
    }
    if (open.generation !== rejected && !isExpiring(deps, open.credentials)) return open
    const owner = randomUUID()
    if (await claimRefresh(deps.database, place.instanceId, place.id, open.generation, owner)) {
      const fresh = await refresh(deps, source, connector, place, open, owner)
      if (fresh) return fresh
    } else {
      await delay(POLL_MS)
    }
  }
  throw new SourceError('unavailable', 'another process holds the refresh of these credentials')
}

/** Null when somebody else has moved on to a newer generation meanwhile: look again. */
async function refresh(
  deps: SyncDeps,
  source: Source,
  connector: Connector,
  place: Place,
  open: OpenCredentials,
  owner: string,
): Promise<OpenCredentials | null> {
  try {
    const credentials = await connector.refreshCredentials?.(source.kit, open.credentials)
    if (!credentials) return open
    const generation = open.generation + 1
    const stored = await writeRefreshed(deps.database, place.instanceId, place.id, open.generation, {
      sealed: sealCredentials(deps, place, generation, credentials),
      expiresAt: credentials.expiresAt === null ? null : new Date(credentials.expiresAt),
    })
    return stored ? { credentials, generation } : null
  } catch (error) {
    await releaseRefresh(deps.database, place.instanceId, place.id, owner)
    if (error instanceof SourceError && error.kind === 'reconnect') {
      const now = await readCredentials(deps, place)
      if (now.generation !== open.generation) return null
    }
    throw error
  }
}

function isExpiring(deps: SyncDeps, credentials: Credentials): boolean {
  return credentials.expiresAt !== null && Date.parse(credentials.expiresAt) - MARGIN_MS <= deps.now().getTime()
}

/** Opens the sealed credentials as they are. */
export async function readCredentials(deps: SyncDeps, place: Place): Promise<OpenCredentials> {
  const stored = await findCredentials(deps.database, place.instanceId, place.id)
  if (!stored) throw new SourceError('reconnect', 'the connection has no credentials')
  const plain = deps.sealer.open(credentialsContext(place, stored.generation), stored.sealed)
  const credentials = JSON.parse(Buffer.from(plain).toString('utf8')) as Credentials
  hideAll(deps, credentials.secret)
  return { credentials, generation: stored.generation }
}

export function sealCredentials(deps: SyncDeps, place: Place, generation: number, credentials: Credentials): Uint8Array {
  hideAll(deps, credentials.secret)
  return deps.sealer.seal(credentialsContext(place, generation), Buffer.from(JSON.stringify(credentials)))
}

/** Every text in a secret is taken for one: nobody knows which part of it a source's error would quote. */
function hideAll(deps: SyncDeps, secret: Json): void {
  if (typeof secret === 'string') deps.hide(secret)
  else if (typeof secret === 'object' && secret !== null) for (const part of Object.values(secret)) hideAll(deps, part)
}

/** What the seal of a generation of credentials is bound to. */
export function credentialsContext(place: Place, generation: number) {
  return { instanceId: place.instanceId, table: 'connections', rowId: place.id, column: 'credentials', generation }
}
