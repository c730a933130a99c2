import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { PauseState } from '../../jobs/pause-watch.ts'
import type { Database } from '../../store/db/database.ts'
import type { Replicas } from '../../store/db/replicas/replicas.ts'
import type { Keys } from '../../store/keys/keys.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { ProviderNetwork } from '../access/provider/network.ts'
import type { ApiSettings } from './settings.ts'

/** Dependencies of the API; built once, in process/start-server.ts, and passed to every routes file. */
export interface ApiDeps {
  database: Database
  /** Absent: all reads go to the primary. */
  replicas?: Replicas | undefined
  keys: Pick<Keys, 'signing' | 'tokenHash'>
  sealer: Sealer
  log: FastifyBaseLogger
  metrics: Registry
  settings: ApiSettings
  /** The way to the identity providers of instances. */
  providers: ProviderNetwork
  now(): Date
  /** Called after each complete login, with the user's address. */
  onSignedIn?(email: string): Promise<void>
  /** Absent: never paused. */
  pause?: PauseState
}
