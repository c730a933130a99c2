import type { PauseState } from '../../jobs/pause-watch.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import type { Limits, Signing } from '../visit/context.ts'

/** All dependencies of the pages; used where they are built and by the routes. */
export interface ConnectDeps extends SyncDeps, Signing, Limits {
  /** Absent: never paused. */
  pause?: PauseState
}
