import { Registry } from 'prom-client'
import type { ApiSettings } from '../../src/api/context/settings.ts'
import { createApi } from '../../src/api/server.ts'
import type { Credentials, Kit } from '../../src/connectors/contract/contract.ts'
import { connectors } from '../../src/connectors/registry.ts'
import type { StatusCode } from '../../src/model/statuses.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { addGrantedConnection } from '../harness/app/connections.ts'
import { sourcesWithKits } from '../harness/app/sync-deps.ts'
import { testApi } from '../harness/test-api.ts'

export interface WaitingJob {
  connectionId: string
  reason: string
  /** Seconds until it is due; negative if it is overdue. */
  inS: number
}

/** Webhook endpoints of a real server on loopback, with a separate database. No worker runs, so queued jobs stay. */
export interface HooksHarness {
  sync: SyncDeps
  instanceId: string
  /** Address for the source's webhooks. */
  hookUrl(connectorKey: string): string
  /** Adds a connection of a new company, published `lastReadS` seconds ago (by default never). */
  addConnection(wanted: {
    connectorKey: string
    reference: string
    status?: StatusCode
    lastReadS?: number
    credentials?: Credentials
  }): Promise<string>
  listJobs(): Promise<WaitingJob[]>
  /** Logged lines, as JSON text. */
  logged: string[]
  close(): Promise<void>
}

/** `kits` are the kits of sources, by connector key. */
export async function openHooksHarness(kits: Readonly<Record<string, Kit>>, settings: Partial<ApiSettings> = {}): Promise<HooksHarness> {
  const api = await testApi(settings)
  const { database } = api.deps
  const described = connectors.filter(({ key }) => kits[key])
  if (described.length === 0) throw new Error('unknown source')
  const sources = sourcesWithKits(described, kits)
  const sync: SyncDeps = { ...api.deps.sync, sources }
  const app = createApi({ ...api.deps, sync, metrics: new Registry() })
  sync.baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    sync,
    instanceId: api.instanceId,
    logged: api.logged,
    hookUrl: (connectorKey) => `${sync.baseUrl}/hooks/${connectorKey}`,
    addConnection: async ({ connectorKey, reference, status = 15, lastReadS, credentials = { secret: {}, expiresAt: null } }) => {
      const entity = { id: reference, name: 'Books' }
      const { id } = await addGrantedConnection(sync, api.instanceId, { connectorKey, status, credentials, entity, reference })
      if (lastReadS !== undefined) {
        await database.query('update connections set last_read_at = clock_timestamp() - make_interval(secs => $2) where id = $1', [
          id,
          lastReadS,
        ])
      }
      return id
    },
    listJobs: async () => {
      const { rows } = await database.query<WaitingJob>(
        `select payload->>'connectionId' as "connectionId", payload->>'reason' as reason,
           extract(epoch from run_at - clock_timestamp())::float8 as "inS" from jobs where kind = 'sync' order by id`,
      )
      return rows
    },
    close: async () => {
      await app.close()
      await api.close()
    },
  }
}
