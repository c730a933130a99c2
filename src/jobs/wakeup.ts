import type { Database } from '../store/db/database.ts'
import { NotificationSession, type NotificationSource } from './notification-session.ts'
import { repeat } from './repeat.ts'

/** Poll interval at rest: a notification may be lost with its connection, and jobs that become due are not announced. */
const REST_POLL_MS = 10_000

export interface WakeupSource extends NotificationSource {
  pollMs: number
}

export interface Wakeup {
  stop(): Promise<void>
}

/**
 * Wake-up: calls `wake` on NOTIFY of `channel` and every `pollMs`, or every 10 s while the process rests, so that a lost
 * notification costs one poll at most. A broken connection is reopened at the next poll. Keeps the process alive until
 * stopped, also while the database is down.
 */
export function startWakeup(
  database: Database,
  { pollMs, ...source }: WakeupSource,
  wake: () => void,
  onError: (error: unknown) => void,
): Wakeup {
  const session = new NotificationSession(database, source, wake, onError)
  const look = (): void => {
    session.ensure()
    wake()
  }
  const timer = repeat({ everyMs: pollMs, restMs: Math.max(pollMs, REST_POLL_MS) }, look, source.activity)
  look()
  return {
    stop: async () => {
      timer.stop()
      await session.stop()
    },
  }
}
