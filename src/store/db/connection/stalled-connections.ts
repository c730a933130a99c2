import { Socket } from 'node:net'
import type pg from 'pg'
import { answersOf } from './server-answers.ts'
import type { Servers } from './servers.ts'

/**
 * Interval of the checks of connections in use, and the number of checks without a byte from the server that is
 * suspicious.
 */
const LOOK_EVERY_MS = 2_500
const SILENT_LOOKS = 2

interface StalledCheck {
  bytesRead: number
  looks: number
}

/**
 * Stalled connections: closes connections that await an answer of a server that no longer answers at all. A broken network
 * gives no notice, and TCP would wait for a quarter of an hour. Long statements continue while the server answers
 * others. Checks only while connections are in use.
 */
export function closeStalledConnections(pool: pg.Pool, servers: Servers): void {
  const clients = new Map<pg.Client, StalledCheck>()
  let isWatching = false

  const look = async (): Promise<void> => {
    for (const [client, check] of clients) {
      const { stream } = client.connection
      const bytesRead = stream instanceof Socket ? stream.bytesRead : 0
      const isSilent = !client.readyForQuery && check.bytesRead === bytesRead
      check.looks = isSilent ? check.looks + 1 : 0
      check.bytesRead = bytesRead
    }
    for (const [client, { looks }] of [...clients]) if (looks >= SILENT_LOOKS) await closeUnlessAnswered(client, clients, servers)
    isWatching = false
    if ([...clients.keys()].some(({ readyForQuery }) => !readyForQuery)) watch()
  }
  const watch = (): void => {
    if (isWatching) return
    isWatching = true
    setTimeout(() => void look(), LOOK_EVERY_MS).unref()
  }
  pool.on('connect', (client) => clients.set(client, { bytesRead: 0, looks: 0 }))
  pool.on('remove', (client) => clients.delete(client))
  pool.on('acquire', watch)
}

async function closeUnlessAnswered(client: pg.Client, clients: ReadonlyMap<pg.Client, StalledCheck>, servers: Servers): Promise<void> {
  if (client.connection.stream.destroyed || (await answersOf(client))) return
  servers.forget()
  for (const [other, { looks }] of clients) {
    const isSame = other.host === client.host && other.port === client.port
    if (isSame && looks > 0) other.connection.stream.destroy(new SilentServer())
  }
}

class SilentServer extends Error {
  override readonly name = 'SilentServer'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the database server no longer answers')
  }
}
