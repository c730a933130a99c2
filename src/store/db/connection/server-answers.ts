import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { ServerAddress } from './servers.ts'

const TIMEOUT_MS = 3_000
/**
 * Probe: asks whether the server supports encryption, which PostgreSQL and poolers answer with one byte before anything
 * else. It needs no login and no free connection, and does not wait behind other clients.
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html (SSLRequest)
 */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

const asked = new Map<string, Promise<boolean>>()

/** Whether the server answers a new connection within 3 s; concurrent callers share the probe. */
export function answersOf({ host, port }: ServerAddress): Promise<boolean> {
  const name = `${host} ${port}`
  const answer = asked.get(name) ?? ask(host, port).finally(() => asked.delete(name))
  asked.set(name, answer)
  return answer
}

async function ask(host: string, port: number): Promise<boolean> {
  const giveUp = new AbortController()
  const socket = connect(port, host, () => socket.write(SSL_REQUEST))
  let isAnswered = false
  socket.once('data', () => {
    isAnswered = true
  })
  socket.on('error', () => undefined)
  try {
    const ended = Promise.race([once(socket, 'data', giveUp), once(socket, 'close', giveUp)])
    await Promise.race([ended, wait(TIMEOUT_MS, undefined, { signal: giveUp.signal })]).catch(() => undefined)
    // An answer may have arrived while this process was busy.
    await nextTurn()
    return isAnswered
  } finally {
    giveUp.abort()
    socket.destroy()
  }
}
