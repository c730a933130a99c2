import type { ConnectorDescription, Kit } from '../../src/connectors/contract/contract.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { runJob, runSyncJob } from '../harness/app/jobs.ts'
import { linkByForm } from '../harness/app/owner-link.ts'
import { sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import type { ScriptedSource } from './scripted-source.ts'

export type OpenDatabase = () => Promise<Pick<TestDatabase, 'database' | 'url' | 'drop'>>

/** The sync engine with a separate database and scripted sources. */
export interface SyncHarness extends CompanyActions {
  deps: SyncDeps
  /** URL of its database, for another process. */
  url: string
  instanceId: string
  companyId: string
  serviceId(source: ScriptedSource): string
  /** The company at a source. */
  scopeOf(source: ScriptedSource): RecordScope
  close(): Promise<void>
}

/** Actions on one company. */
export interface CompanyActions {
  /** Links the company to the source, as the owner would; returns the connection's id. */
  connect(source: ScriptedSource): Promise<string>
  /** Runs one sync job, now. */
  sync(connectionId: string, options?: { isAwaited?: boolean; attempt?: number; reason?: string }): Promise<Outcome>
  erase(connectionId: string): Promise<Outcome>
  /** Runs the job that revokes the grant at the source. */
  revoke(connectionId: string, options?: { attempt?: number }): Promise<Outcome>
}

/** `others` are additional sources; those that are read have a kit, by key. `open` gives the database. */
export async function openSyncHarness(
  sources: ScriptedSource[],
  others: ConnectorDescription[] = [],
  keys?: Keys,
  kits: Readonly<Record<string, Kit>> = {},
  open: OpenDatabase = testDatabase,
): Promise<SyncHarness> {
  const { database, url, drop } = await open()
  const descriptions = [...sources.map((source) => source.description), ...others]
  const deps = syncDeps({ database, keys: keys ?? (await testKeys()), sources: sourcesWithKits(descriptions, kits) })
  const instanceId = await addInstance(database)
  const companyId = await addCompany(database, instanceId)
  return {
    ...companyActions(deps, instanceId, companyId),
    deps,
    url,
    instanceId,
    companyId,
    serviceId: (source) => toServiceId(source.description.key),
    scopeOf: (source) => ({ instanceId, companyId, serviceId: toServiceId(source.description.key) }),
    close: drop,
  }
}

export function companyActions(deps: SyncDeps, instanceId: string, companyId: string): CompanyActions {
  const { database } = deps
  const handlers = syncHandlers(deps)
  const runQueued = async (kind: 'erase' | 'revoke', key: string, connectionId: string, attempts = 1) => {
    const { rows } = await database.query(
      `delete from jobs where kind = $1 and payload->>'connectionId' = $2 and state = 'ready' returning payload`,
      [kind, connectionId],
    )
    return await runJob(handlers[kind], { instanceId, kind, key, payload: rows[0]?.payload, attempts })
  }
  return {
    connect: async (source) => {
      const connectionId = await linkByForm(deps, { instanceId, companyId, serviceId: toServiceId(source.description.key) })
      await database.query(`delete from jobs where kind = 'sync' and key = $1 and state = 'ready'`, [`connection/${connectionId}`])
      return connectionId
    },
    sync: async (connectionId, options) => await runSyncJob(deps, { instanceId, connectionId }, options),
    erase: async (connectionId) => await runQueued('erase', `erase/${connectionId}`, connectionId),
    revoke: async (connectionId, { attempt } = {}) => await runQueued('revoke', 'revoke', connectionId, attempt),
  }
}
