import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant } from '../../src/connectors/contract/contract.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { Status } from '../../src/model/statuses.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import type { OpenCredentials } from '../../src/sync/credentials/credentials.ts'
import { openCredentials } from '../../src/sync/credentials/credentials-open.ts'
import { addGrantedConnection } from '../harness/app/connections.ts'
import { syncDeps } from '../harness/app/sync-deps.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { type CallerSettings, type Callers, startCallers } from './callers.ts'
import { type Providers, toSources } from './providers.ts'

export interface ConnectionKey {
  instanceId: string
  id: string
}

/** Database with connections, used by this process and by others that can be started and killed. */
export interface RefreshHarness {
  deps: SyncDeps
  /** URL of its database, for another process. */
  url: string
  /** Folder of the keys. */
  dataDir: string
  providers: Providers
  /** Log lines, as `level: message`. */
  logged: string[]
  now(): Date
  moveTime(ms: number): void
  /** Adds a newly authorized connection of a separate company. */
  connect(connectorKey: string, grant: Pick<Grant, 'credentials' | 'entity'>): Promise<ConnectionKey>
  /** Opens the credentials in this process. */
  open(connectorKey: string, place: ConnectionKey, rejected?: number, others?: Partial<SyncDeps>): Promise<OpenCredentials>
  start(processes: number, settings?: Pick<CallerSettings, 'crashAt'>): Promise<Callers>
  /** Makes the lease of the connection's refresh expire `agoS` seconds ago. */
  expireLease(place: ConnectionKey, agoS: number): Promise<void>
  /** One value of the connection's row. */
  read<T>(place: ConnectionKey, expression: string): Promise<T>
  /** Updates the connection's row. */
  write(place: ConnectionKey, assignments: string): Promise<void>
  countVersions(place: ConnectionKey): Promise<number>
  close(): Promise<void>
}

export async function openRefreshHarness(providers: Providers): Promise<RefreshHarness> {
  const { database, url, drop } = await testDatabase()
  const keysFolder = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  const egress = createEgress({ allowPrivate: true })
  const logged: string[] = []
  const note = (level: string) => (_fields: Record<string, unknown>, message: string) => {
    logged.push(`${level}: ${message}`)
  }
  let nowMs = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(nowMs)
  const sources = toSources(providers, egress, now)
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const deps = syncDeps({ database, keys: await openKeys(keysFolder), sources, log, now })
  const instanceId = await addInstance(database)
  return {
    deps,
    url,
    dataDir: keysFolder,
    providers,
    logged,
    now,
    moveTime: (ms) => {
      nowMs += ms
    },
    open: async (connectorKey, place, rejected, others = {}) => {
      const all = { ...deps, ...others }
      const source = all.sources.get(connectorKey)
      if (!source) throw new Error(`unknown source ${connectorKey}`)
      return await openCredentials(all, source, await source.load(), place, rejected ?? null)
    },
    connect: (connectorKey, grant) => addGrantedConnection(deps, instanceId, { connectorKey, status: Status.Authorized, ...grant }),
    start: async (processes, settings = {}) => await startCallers(processes, { databaseUrl: url, keysFolder, providers, ...settings }, now),
    expireLease: async (place, agoS) => {
      await database.query(
        `update connections set refresh_lease_until = clock_timestamp() - make_interval(secs => $3)
         where instance_id = $1 and id = $2 and refresh_lease_until is not null`,
        [place.instanceId, place.id, agoS],
      )
    },
    read: async (place, expression) => {
      const { rows } = await database.query(`select ${expression} as value from connections where instance_id = $1 and id = $2`, [
        place.instanceId,
        place.id,
      ])
      return rows[0]?.value
    },
    write: async (place, assignments) => {
      await database.query(`update connections set ${assignments} where instance_id = $1 and id = $2`, [place.instanceId, place.id])
    },
    countVersions: async (place) => {
      const { rows } = await database.query(
        'select count(*)::int as count from credential_versions where instance_id = $1 and connection_id = $2',
        [place.instanceId, place.id],
      )
      return rows[0]?.count
    },
    close: async () => {
      await egress.close()
      await drop()
      await rm(keysFolder, { recursive: true, force: true })
    },
  }
}
