import type { PoolClient } from 'pg'
import { type Database, listenTo } from '../store/db/database.ts'

export interface Wakeup {
  stop(): Promise<void>
}

/**
 * Wake-up: calls `wake` on NOTIFY of `channel` and every `pollMs`, so that a lost notification costs one poll at most.
 * A broken connection is reopened at the next poll. Keeps the process alive until stopped, also while the database is
 * down.
 */
export function startWakeup(
  database: Database,
  channel: 'jobs' | 'events',
  pollMs: number,
  wake: () => void,
  onError: (error: unknown) => void,
): Wakeup {
  let client: PoolClient | null = null
  let opening: Promise<void> | null = null
  let isStopped = false

  const listen = async (): Promise<void> => {
    const opened = await (database.sessions ?? database).connect()
    if (isStopped) {
      opened.release()
      return
    }
    client = opened
    opened.on('notification', wake)
    // NOTE a connection ended on purpose may still emit an error: it has been released by then.
    opened.once('error', (error) => {
      if (client !== opened) return
      client = null
      opened.release(error)
      onError(error)
    })
    await listenTo(opened, channel)
  }
  const ensure = (): void => {
    if (client || opening || isStopped) return
    opening = listen()
      .catch(onError)
      .finally(() => {
        opening = null
      })
  }

  const timer = setInterval(() => {
    ensure()
    wake()
  }, pollMs)
  ensure()
  wake()
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await opening
      const ended = client
      client = null
      ended?.removeAllListeners('notification')
      ended?.release(true)
    },
  }
}
