import { randomUUID } from 'node:crypto'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { linkByForm } from '../harness/app/owner-link.ts'
import { offlineSources, syncDeps } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { testKeys } from '../harness/keys.ts'
import type { ScriptedSource } from './scripted-source.ts'

/** A whole house on a database of its own, with scripted sources outside. */
export interface SyncHarness extends CompanyActions {
  deps: SyncDeps
  /** Of its database, for another process. */
  url: string
  instanceId: string
  companyId: string
  serviceId(source: ScriptedSource): string
  close(): Promise<void>
}

/** What happens to one company. */
export interface CompanyActions {
  /** Links the company to the source, as the owner would; gives the connection's id. */
  connect(source: ScriptedSource): Promise<string>
  /** Works one sync job off, now. */
  sync(connectionId: string, options?: { isAwaited?: boolean; attempt?: number; reason?: string }): Promise<Outcome>
  erase(connectionId: string): Promise<Outcome>
  /** Works off the job that tells the source of an end. */
  revoke(connectionId: string, options?: { attempt?: number }): Promise<Outcome>
}

/** `others` are sources that stand in the catalogue and are never read. */
export async function openSyncHarness(sources: ScriptedSource[], others: ConnectorDescription[] = [], keys?: Keys): Promise<SyncHarness> {
  const { database, url, drop } = await testDatabase()
  const descriptions = [...sources.map((source) => source.description), ...others]
  const deps = syncDeps({ database, keys: keys ?? (await testKeys()), sources: offlineSources(descriptions) })
  const instanceId = await addInstance(database)
  const companyId = await addCompany(database, instanceId)
  return {
    ...companyActions(deps, instanceId, companyId),
    deps,
    url,
    instanceId,
    companyId,
    serviceId: (source) => toServiceId(source.description.key),
    close: drop,
  }
}

export function companyActions(deps: SyncDeps, instanceId: string, companyId: string): CompanyActions {
  const { database } = deps
  const handlers = syncHandlers(deps)
  const signal = { isStopping: () => false }
  const take = async (kind: string, connectionId: string) => {
    const { rows } = await database.query(
      `delete from jobs where kind = $1 and payload->>'connectionId' = $2 and state = 'ready' returning payload`,
      [kind, connectionId],
    )
    return rows[0]?.payload
  }
  return {
    connect: async (source) => {
      const connectionId = await linkByForm(deps, { instanceId, companyId, serviceId: toServiceId(source.description.key) })
      await database.query(`delete from jobs where kind = 'sync' and key = $1 and state = 'ready'`, [`connection/${connectionId}`])
      return connectionId
    },
    sync: async (connectionId, options = {}) =>
      await handlers.sync(
        {
          id: randomUUID(),
          instanceId,
          kind: 'sync',
          key: `connection/${connectionId}`,
          payload: { connectionId, reason: options.reason ?? 'schedule', isAwaited: options.isAwaited ?? false },
          attempts: options.attempt ?? 1,
        },
        signal,
      ),
    erase: async (connectionId) => {
      const payload = await take('erase', connectionId)
      return await handlers.erase(
        { id: randomUUID(), instanceId, kind: 'erase', key: `erase/${connectionId}`, payload, attempts: 1 },
        signal,
      )
    },
    revoke: async (connectionId, { attempt = 1 } = {}) => {
      const payload = await take('revoke', connectionId)
      return await handlers.revoke({ id: randomUUID(), instanceId, kind: 'revoke', key: 'revoke', payload, attempts: attempt }, signal)
    },
  }
}
