import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSources } from '../src/connectors/sources.ts'
import { toServiceId } from '../src/model/catalogue.ts'
import { createInstance } from '../src/store/access/instances.ts'
import { createCompany } from '../src/store/connections/companies.ts'
import { type Database, openDatabase } from '../src/store/db/database.ts'
import { upgradeSchema } from '../src/store/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts'
import { type Keys, openKeys } from '../src/store/keys/keys.ts'
import { createSealer } from '../src/store/keys/sealing.ts'
import { tokenHasher } from '../src/store/keys/token-hash.ts'
import { beginAuthorization, submitForm } from '../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../src/sync/context/deps.ts'
import { issueLink, openLink } from '../src/sync/links/link.ts'
import { runSync } from '../src/sync/runs/run.ts'
import type { Bank } from './bank/bank.ts'

export const BASE_URL = 'http://127.0.0.1:8480'

/** A separate deployment in a temporary folder: embedded PostgreSQL with the product's settings, keys, one source. */
export interface Deployment {
  dataDir: string
  databaseUrl: string
  database: Database
  keys: Keys
  sync: SyncDeps
  serviceId: string
  close(): Promise<void>
}

export interface Tenant {
  instanceId: string
  companyId: string
  connectionId: string
}

/** Bytes of the database on disk, indexes included. */
export async function databaseBytes(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes')
  return rows[0]?.bytes ?? 0
}

export async function openDeployment(bank: Bank): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  await chmod(dataDir, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir })
  const deployment = await openDatabaseOf(bank, dataDir, postgres.url)
  return {
    ...deployment,
    close: async () => {
      await deployment.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A deployment on a database that exists, with the keys of a data folder; its schema is upgraded. */
export async function openDatabaseOf(bank: Bank, dataDir: string, databaseUrl: string): Promise<Deployment> {
  const database = openDatabase(databaseUrl, { max: 8 })
  await upgradeSchema(database)
  const keys = await openKeys(dataDir)
  return {
    dataDir,
    databaseUrl,
    database,
    keys,
    sync: createSync(database, keys, bank),
    serviceId: toServiceId(bank.description.key),
    close: () => database.end(),
  }
}

/** Dependencies of the sync module, with the benchmark bank as the only source. */
export function createSync(database: Database, keys: Keys, bank: Bank): SyncDeps {
  const now = () => new Date()
  const kit = { http: () => Promise.reject(new Error('the benchmark bank has no network')), app: {}, hosts: {}, now }
  return {
    database,
    sealer: createSealer(keys),
    sources: createSources([bank.description], { settings: {}, simulators: {}, createKit: () => kit }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    hide: () => undefined,
    now,
    hashToken: tokenHasher(keys),
    baseUrl: BASE_URL,
  }
}

/** Adds an instance with one company that has linked its bank; nothing is synced yet. */
export async function addTenant(deployment: Deployment, customer: string): Promise<Tenant> {
  const { sync, database, serviceId } = deployment
  const [instanceId, companyId] = [randomUUID(), randomUUID()]
  await createInstance(database, { id: instanceId, name: `Lender of ${customer}` })
  const details = { industry: '', fullAddress: '', country: 'CA', city: 'Montréal', companyContactNumber: '' }
  await createCompany(database, instanceId, companyId, { name: customer, ...details })
  const address = await issueLink(sync, { instanceId, companyId, serviceId, issuedBy: 'bench@example.com' })
  const open = await openLink(sync, new URL(address).searchParams.get('token') ?? '')
  if (!open) throw new Error('the link cannot be opened')
  const { connectionId } = await beginAuthorization(sync.database, open)
  await submitForm(sync, open, connectionId, { customer })
  return { instanceId, companyId, connectionId }
}

/** Runs one sync of a tenant's bank. */
export async function syncTenant(deployment: Deployment, tenant: Tenant): Promise<'published' | 'unchanged'> {
  const { instanceId, connectionId } = tenant
  return await runSync(deployment.sync, { instanceId, connectionId, reason: 'schedule', isAwaited: false, isStopping: () => false })
}
