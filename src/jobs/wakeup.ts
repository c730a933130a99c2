import type { PoolClient } from 'pg'
import { type Database, listenTo } from '../store/db/database.ts'
import type { Activity } from './activity.ts'
import { repeat } from './repeat.ts'

/** Poll interval at rest: a notification may be lost with its connection, and jobs that become due are not announced. */
const REST_POLL_MS = 10_000

export interface WakeupSource {
  channel: 'jobs' | 'events'
  pollMs: number
  activity?: Activity | undefined
  /** Told of each session that hears notifications, when it begins and when it has ended. */
  session?: { begun(client: PoolClient): Promise<void>; ended(): void } | undefined
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
  { channel, pollMs, activity, session }: WakeupSource,
  wake: () => void,
  onError: (error: unknown) => void,
): Wakeup {
  let client: PoolClient | null = null
  let opening: Promise<void> | null = null
  let isStopped = false
  let endListening: (() => void) | undefined
  const listen = async (): Promise<void> => {
    const opened = await (database.sessions ?? database).connect()
    if (isStopped) {
      opened.release()
      return
    }
    client = opened
    opened.on('notification', () => {
      activity?.sawWork()
      wake()
    })
    // NOTE a connection ended on purpose may still emit an error: it has been released by then.
    opened.once('error', (error) => {
      if (client !== opened) return
      client = null
      endListening?.()
      session?.ended()
      opened.release(error)
      onError(error)
    })
    await subscribe(opened, { channel, session }).catch((error: unknown) => {
      if (client === opened) {
        client = null
        session?.ended()
        opened.release(true)
      }
      throw error
    })
    if (client === opened) endListening = activity?.listens()
    else session?.ended()
  }
  const ensure = (): void => {
    if (client || opening || isStopped) return
    opening = listen()
      .catch(onError)
      .finally(() => {
        opening = null
      })
  }
  const timer = repeat({ everyMs: pollMs, restMs: Math.max(pollMs, REST_POLL_MS) }, () => look(ensure, wake), activity)
  look(ensure, wake)
  return {
    stop: async () => {
      isStopped = true
      timer.stop()
      await opening
      const ended = client
      client = null
      endListening?.()
      if (ended) closeSession(ended)
    },
  }
}

async function subscribe(client: PoolClient, { channel, session }: Pick<WakeupSource, 'channel' | 'session'>): Promise<void> {
  await session?.begun(client)
  await listenTo(client, channel)
}

function look(ensure: () => void, wake: () => void): void {
  ensure()
  wake()
}

function closeSession(client: PoolClient): void {
  client.removeAllListeners('notification')
  client.release(true)
}
