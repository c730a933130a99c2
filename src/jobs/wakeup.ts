import type { PoolClient } from 'pg'
import { type Database, listenTo } from '../store/db/database.ts'

export interface Wakeup {
  stop(): Promise<void>
}

/**
 * Calls `wake` when the database announces `channel` and every `pollMs` besides: a lost notification only costs one poll. A broken
 * connection is opened again at the next poll. The process stays until it is stopped, also while the database is away.
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
    const opened = await database.connect()
    if (isStopped) {
      opened.release()
      return
    }
    client = opened
    opened.on('notification', wake)
    // NOTE a connection that was ended on purpose may still tell of an error: it has been given back by then.
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
