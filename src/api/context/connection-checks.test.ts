import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkWhileConnected } from './connection-checks.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const warned: string[] = []
const log = { warn: (_fields: object, message: string) => void warned.push(message) }

interface Watched {
  server: Server
  /** Checks of deadlines, each of which reads the deadline of headers. */
  checks(): number
  checked(times: number): Promise<void>
}

function watched(server: Server): Watched {
  let checks = 0
  const waiting = new Map<number, () => void>()
  Object.defineProperty(server, 'headersTimeout', {
    get: () => {
      checks += 1
      waiting.get(checks)?.()
      return 60_000
    },
  })
  const checked = async (times: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.set(checks + times, resolve)
    await promise
  }
  servers.push(server)
  return { server, checks: () => checks, checked }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Each of Node's timers with one interval fires once before any fires again: the later server is the clock of the earlier. */
async function openBoth(): Promise<{ resting: Watched; port: number; clock: Watched }> {
  const resting = watched(createServer({ connectionsCheckingInterval: 5 }))
  checkWhileConnected(resting.server, 5, log)
  const clock = watched(createServer({ connectionsCheckingInterval: 5 }))
  const port = await listen(resting.server)
  await listen(clock.server)
  return { resting, port, clock }
}

describe('a server without connections', () => {
  it('checks no deadlines', async () => {
    const { resting, clock } = await openBoth()
    await clock.checked(5)
    expect(resting.checks()).toBe(0)
  })

  it('checks them from the first connection to the end of the last', async () => {
    const { resting, port, clock } = await openBoth()
    const accepted = once(resting.server, 'connection')
    const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    const [served] = await accepted
    await resting.checked(2)
    const ended = once(served, 'close')
    first.destroy()
    await ended
    await resting.checked(2)
    expect(second.destroyed).toBe(false)
    second.destroy()
    while ((await countConnections(resting.server)) > 0) await clock.checked(1)
    const last = resting.checks()
    await clock.checked(5)
    expect(resting.checks()).toBe(last)
  })

  it('is told of in the log where Node keeps its timer elsewhere', async () => {
    const other = createServer().removeAllListeners('listening')
    checkWhileConnected(other, 5, log)
    warned.length = 0
    other.emit('listening')
    expect(warned).toEqual(['this Node keeps its connection checks elsewhere: an idle process wakes more often'])
  })
})

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
}
