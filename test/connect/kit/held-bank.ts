import { randomUUID } from 'node:crypto'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { createConnection, writeGrant } from '../../../src/store/connections/connections.ts'
import { sealCredentials } from '../../../src/sync/credentials/credentials.ts'
import type { ConnectHarness } from './harness.ts'

/** Connects a company to a bank through another source, as after an authorization. */
export async function holdBank(
  { deps, instanceId }: ConnectHarness,
  companyId: string,
  name: string,
  connectorKey = 'widget-source',
): Promise<void> {
  const key = { instanceId, id: randomUUID() }
  const credentials = { secret: 'handle', expiresAt: null }
  const serviceId = toServiceId(connectorKey)
  const about = { companyId, serviceId, connectorKey, category: 'Banking', email: 'owner@example.com', refreshHours: 24 } as const
  await createConnection(deps.database, { ...key, ...about, status: 9, applicationId: null })
  await writeGrant(deps.database, key, {
    serviceId,
    entityId: name,
    entityName: name,
    reference: null,
    email: null,
    credentials: sealCredentials(deps, key, 1, credentials),
    credentialsExpireAt: null,
    credentialsRefreshAt: null,
    sourceKeysId: null,
    applicationId: null,
  })
}
