import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import type { Grant } from '../../connectors/contract/contract.ts'
import { toChildServiceId } from '../../model/catalogue.ts'
import { Status } from '../../model/statuses.ts'
import { statusMessage } from '../../model/texts/status-messages.ts'
import { ensureChildService } from '../../store/connections/child-services.ts'
import {
  type Connection,
  createConnection,
  deleteConnection,
  findActiveConnection,
  lockConnection,
  writeGrant,
  writeReidentify,
  writeStatus,
} from '../../store/connections/connections.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { completeLink, rootLinkId } from '../../store/connections/links.ts'
import { abandonRuns, type RunReason } from '../../store/connections/sync-runs.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { admitConnection } from '../../store/operators/quotas.ts'
import { writePauses } from '../../store/owners/owner-connections.ts'
import { inSpan, parentInTraceOf } from '../../tracing/spans.ts'
import { queueSync } from '../connection/queue-sync.ts'
import { moveStatus } from '../connection/status.ts'
import type { Clock, Vault } from '../context/groups.ts'
import { sealCredentials } from '../credentials/credentials.ts'
import { refreshAtOf } from '../credentials/credentials-refresh.ts'
import { LinkAlreadyUsed } from '../links/errors.ts'
import type { OpenLink } from '../links/link.ts'
import { bindConsentToConnections } from './consent.ts'
import type { GrantContext } from './context.ts'

/** Thrown when the owner authorized other books or another bank login than before; nothing was stored. */
export class EntityMismatch extends Error {
  readonly before: string
  readonly now: string

  constructor(before: string, now: string) {
    super('the authorization names another entity than the connection')
    this.before = before
    this.now = now
  }
}

const RETRY_NOTE = statusMessage('authorizedAgain', 'authorized again')

/** Result of an authorization. */
export interface Linked {
  connectionId: string
  serviceId: string
  /** The bank for a child service, otherwise the source. */
  serviceName: string
  entityName: string
  isReconnect: boolean
}

/**
 * Turns grants into connections: the provisional one for the first grant, new ones for the others, and existing ones
 * where the company is already connected. Completes the link and queues the first sync, all in one transaction.
 */
export async function acceptGrants(
  deps: GrantContext,
  open: OpenLink,
  provisionalId: string,
  grants: Grant[],
  attach: (db: Db, connection: Connection) => Promise<void> = async () => undefined,
  reason: RunReason = 'first',
): Promise<Linked[]> {
  const span = { name: 'accept grants', parent: parentInTraceOf(open.link.traceParent) }
  return await inSpan(
    span,
    async () =>
      await inTransaction(deps.database, async (db) => await acceptAll(db, deps, { open, provisionalId, grants, attach, reason })),
  )
}

async function acceptAll(
  db: Db,
  deps: GrantContext,
  request: {
    open: OpenLink
    provisionalId: string
    grants: Grant[]
    attach: (db: Db, connection: Connection) => Promise<void>
    reason: RunReason
  },
): Promise<Linked[]> {
  const { open, provisionalId, grants, attach, reason } = request
  const provisional = await lockConnection(db, open.link.instanceId, provisionalId)
  if (!provisional) throw new LinkAlreadyUsed('the authorization was ended')
  if (!(await completeLink(db, open.link.instanceId, open.link.id))) throw new LinkAlreadyUsed('the link was used up')
  let free: Connection | null = provisional
  const linked: Linked[] = []
  for (const grant of grants) {
    const wanted = open.service.institutionId
    if (wanted !== null && grant.institution?.id !== wanted) throw new EntityMismatch(open.service.name, grant.entity.name)
    const service = await ensureServiceOf(db, open, grant)
    const active = await findActiveConnection(db, open.link.instanceId, open.link.companyId, service.serviceId)
    if (active && active.entityId !== grant.entity.id) throw new EntityMismatch(active.entityName ?? '', grant.entity.name)
    const id: string = active?.id ?? free?.id ?? (await createSibling(db, provisional))
    if (id === free?.id) free = null
    const connection = await authorize(db, deps, { open, grant, serviceId: service.serviceId, id, isReconnect: active !== null })
    if (active && reason === 'first') {
      // A running run uses the credentials that the owner has just replaced.
      await abandonRuns(db, connection)
      await writeReidentify(db, connection.instanceId, connection.id, true)
    }
    await attach(db, connection)
    await queueSync(db, connection, active && reason === 'first' ? 'reconnect' : reason, { isAwaited: true })
    linked.push({ connectionId: id, ...service, entityName: grant.entity.name, isReconnect: active !== null })
  }
  if (free) await deleteConnection(db, free.instanceId, free.id)
  const ids = linked.map(({ connectionId }) => connectionId)
  await countStep(db, open.link, 'connected')
  await bindConsentToConnections(db, { instanceId: open.link.instanceId, id: rootLinkId(open.link) }, ids, deps.now())
  const { instanceId, id: linkId } = open.link
  for (const { connectionId, serviceId, isReconnect } of linked) {
    const details = { linkId, serviceId, isReconnect }
    await recordChange(db, { instanceId, action: 'connection.authorized', subject: `connection/${connectionId}`, details })
  }
  await deps.crashPoint?.('before-grant-commit')
  return linked
}

async function ensureServiceOf(db: Db, open: OpenLink, grant: Grant): Promise<{ serviceId: string; serviceName: string }> {
  if (!grant.institution) return { serviceId: open.service.id, serviceName: open.service.name }
  const { instanceId } = open.link
  const connectorKey = open.service.source.description.key
  const id = toChildServiceId(instanceId, connectorKey, grant.institution.id)
  await ensureChildService(db, instanceId, { id, connectorKey, institutionId: grant.institution.id, name: grant.institution.name })
  return { serviceId: id, serviceName: grant.institution.name }
}

async function createSibling(db: Db, model: Connection): Promise<string> {
  const id = randomUUID()
  await admitConnection(db, model.instanceId)
  await createConnection(db, { ...model, id, status: Status.Authorization })
  return id
}

async function authorize(
  db: Db,
  deps: Vault & Clock,
  request: { open: OpenLink; grant: Grant; serviceId: string; id: string; isReconnect: boolean },
): Promise<Connection> {
  const { grant, open } = request
  const connection = await lockConnection(db, open.link.instanceId, request.id)
  if (!connection) throw new LinkAlreadyUsed('the connection was ended')
  await writeGrant(db, connection, {
    serviceId: request.serviceId,
    entityId: grant.entity.id,
    entityName: grant.entity.name,
    reference: grant.reference ?? null,
    email: grant.email ?? null,
    credentials: sealCredentials(deps, connection, connection.credentialsGeneration + 1, grant.credentials),
    credentialsExpireAt: grant.credentials.expiresAt === null ? null : new Date(grant.credentials.expiresAt),
    credentialsRefreshAt: refreshAtOf(deps.now(), grant.credentials.expiresAt),
    sourceKeysId: open.service.source.keysOf?.id ?? null,
    applicationId: open.link.applicationId,
  })
  connection.applicationId = open.link.applicationId
  connection.serviceId = request.serviceId
  connection.credentialsGeneration += 1
  // Authorizing again resumes a suspended connection.
  if (connection.status === Status.Suspended) await writePauses(db, connection, { owner: null, operator: null })
  // A healthy connection that is authorized again stays as it is, apart from a timeline entry.
  const healthy: number[] = [Status.Authorized, Status.Structured, Status.Synced]
  if (healthy.includes(connection.status)) await writeStatus(db, connection, connection.status, RETRY_NOTE)
  else if (connection.status !== Status.Loading)
    await moveStatus(
      db,
      connection,
      Status.Authorized,
      request.isReconnect ? RETRY_NOTE : statusMessage('entity', grant.entity.name, { name: grant.entity.name }),
    )
  return connection
}
