import { randomUUID } from 'node:crypto'
import type { Credentials } from '../../../src/connectors/contract/contract.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import type { StatusCode } from '../../../src/model/statuses.ts'
import { createConnection, writeGrant } from '../../../src/store/connections/connections.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { sealCredentials } from '../../../src/sync/credentials/credentials.ts'
import { refreshAtOf } from '../../../src/sync/credentials/credentials-refresh.ts'
import { addCompany } from './tenants.ts'

export interface GrantedConnection {
  connectorKey: string
  status: StatusCode
  credentials: Credentials
  entity: { id: string; name: string }
  /** Reference to the books in the source's webhooks. */
  reference?: string
}

/** Adds a connection of a new company, as after an authorization; returns its key. */
export async function addGrantedConnection(
  deps: SyncDeps,
  instanceId: string,
  { connectorKey, status, credentials, entity, reference }: GrantedConnection,
): Promise<{ instanceId: string; id: string }> {
  const companyId = await addCompany(deps.database, instanceId)
  const key = { instanceId, id: randomUUID() }
  const serviceId = toServiceId(connectorKey)
  const about = { companyId, serviceId, connectorKey, category: 'Accounting', email: 'owner@example.com', refreshHours: 24 } as const
  await createConnection(deps.database, { ...key, ...about, status, applicationId: null })
  await writeGrant(deps.database, key, {
    serviceId,
    entityId: entity.id,
    entityName: entity.name,
    reference: reference ?? null,
    email: null,
    credentials: sealCredentials(deps, key, 1, credentials),
    credentialsExpireAt: credentials.expiresAt === null ? null : new Date(credentials.expiresAt),
    credentialsRefreshAt: refreshAtOf(deps.now(), credentials.expiresAt),
    sourceKeysId: null,
    applicationId: null,
  })
  return key
}
