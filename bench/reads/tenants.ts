import { randomUUID } from 'node:crypto'
import { createAccess } from '../../src/api/access/access.ts'
import { createUser } from '../../src/api/access/account/user-accounts.ts'
import { type ApiKeyRequest, addApiKey } from '../../src/api/access/keys/api-keys.ts'
import { PasswordHashing } from '../../src/api/access/passwords/password-hashing.ts'
import { openSession } from '../../src/api/access/sessions.ts'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createLog } from '../../src/process/log.ts'
import { NO_PROVIDERS } from '../../test/harness/app/api-deps.ts'
import { addTenant, BASE_URL, type Deployment, syncTenant, type Tenant } from '../deployment.ts'
import { printProgress } from '../progress.ts'

/** A tenant with data, and what it may be read with. */
export interface Reader extends Tenant {
  /** Access token of a user. */
  token: string
  /** API key that may read it too. */
  key: string
}

/** The lowest cost allowed, since these passwords need no protection. */
const HASH_COST = { memoryKiB: 19 * 1_024, passes: 2, lanes: 1 }

/** Adds tenants through the real code: links, syncs, users, sessions. */
export async function addReaders(deployment: Deployment, count: number): Promise<Reader[]> {
  const { database, keys, sync } = deployment
  const log = createLog({ level: 'silent' })
  const access = createAccess({
    database,
    keys,
    sealer: sync.sealer,
    log,
    settings: defaultApiSettings(BASE_URL),
    providers: NO_PROVIDERS,
    now: sync.now,
  })
  const hashing = new PasswordHashing(HASH_COST)
  const readers: Reader[] = []
  printProgress(`reads: ${count} tenants link their bank`)
  for (let index = 0; index < count; index++) {
    const tenant = await addTenant(deployment, `customer-${index}`)
    await syncTenant(deployment, tenant)
    const account = {
      email: `reader-${index}@example.com`,
      name: 'Reader',
      role: 'integration',
      password: 'violet-harbour-teapot-91',
    } as const
    const user = await createUser({ database, hashing, now: sync.now }, tenant.instanceId, account)
    const { accessToken } = await openSession(access, database, user, null, { proofWay: 'password', lifeMs: null })
    const caller = {
      instanceId: tenant.instanceId,
      userId: user.id,
      role: user.role,
      sessionId: randomUUID(),
      keyId: null,
      provenAtMs: Date.now(),
      lacksTwoStep: false,
    }
    const wanted: ApiKeyRequest = { id: randomUUID(), name: 'Reader', scopes: ['data:read'], expiresInDays: null }
    const { text: key } = await addApiKey(access, caller, wanted)
    readers.push({ ...tenant, token: accessToken, key })
  }
  return readers
}
