import type { PoolClient } from 'pg'
import { type Database, listenTo } from '../store/db/database.ts'
import type { Activity } from './activity.ts'

export interface NotificationSource {
  channel: 'jobs' | 'events'
  activity?: Activity | undefined
  /** Told of each session that hears notifications, when it begins and when it has ended. */
  session?: { begun(client: PoolClient): Promise<void>; ended(): void } | undefined
}

/** One session of the database that hears the notifications of a channel, opened again after it was lost. */
export class NotificationSession {
  readonly #database: Database
  readonly #source: NotificationSource
  readonly #heard: () => void
  readonly #onError: (error: unknown) => void
  #client: PoolClient | null = null
  #opening: Promise<void> | null = null
  #isStopped = false
  #endListening: (() => void) | undefined

  constructor(database: Database, source: NotificationSource, heard: () => void, onError: (error: unknown) => void) {
    this.#database = database
    this.#source = source
    this.#heard = heard
    this.#onError = onError
  }

  /** Opens a session if there is none; an error is passed on, and the next call tries again. */
  ensure(): void {
    if (this.#client || this.#opening || this.#isStopped) return
    this.#opening = this.#open()
      .catch(this.#onError)
      .finally(() => {
        this.#opening = null
      })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#opening
    const ended = this.#client
    this.#client = null
    this.#endListening?.()
    if (!ended) return
    ended.removeAllListeners('notification')
    ended.release(true)
  }

  async #open(): Promise<void> {
    const { channel, activity, session } = this.#source
    const client = await (this.#database.sessions ?? this.#database).connect()
    if (this.#isStopped) {
      client.release()
      return
    }
    this.#client = client
    client.on('notification', () => {
      activity?.sawWork()
      this.#heard()
    })
    // NOTE a connection ended on purpose may still emit an error: it has been released by then.
    client.once('error', (error) => {
      if (this.#lose(client, error)) this.#onError(error)
    })
    try {
      await session?.begun(client)
      await listenTo(client, channel)
    } catch (error) {
      this.#lose(client)
      throw error
    }
    if (this.#client === client) this.#endListening = activity?.listens()
    else session?.ended()
  }

  /** False if the session is not this one any more. */
  #lose(client: PoolClient, error?: Error): boolean {
    if (this.#client !== client) return false
    this.#client = null
    this.#endListening?.()
    this.#source.session?.ended()
    client.release(error ?? true)
    return true
  }
}
