import { afterEach, describe, expect, it } from 'vitest'
import { openGuardedSocket } from './guarded-socket.ts'
import { LoopbackServers } from './loopback-server.ts'

const servers = new LoopbackServers()
afterEach(() => servers.closeAll())

async function portOf(talk: Parameters<LoopbackServers['tcp']>[0]): Promise<number> {
  return Number(new URL(await servers.tcp(talk)).port)
}

describe('a socket to an address that a customer gave', () => {
  it.each(['127.0.0.1', 'localhost'])('reaches nothing inside at %s, where private networks are not allowed', async (host) => {
    let connections = 0
    const port = await portOf(() => {
      connections += 1
    })
    const opening = openGuardedSocket(host, port, { allowPrivate: false, timeoutMs: 2_000 })
    await expect(opening).rejects.toMatchObject({ failure: 'unreachable' })
    expect(connections).toBe(0)
  })

  it.each(['127.0.0.1', 'localhost'])('is connected to %s where they are', async (host) => {
    const port = await portOf((socket) => void socket.once('data', (sent) => socket.end(`seen ${sent}`)))
    const socket = await openGuardedSocket(host, port, { allowPrivate: true, timeoutMs: 2_000 })
    socket.write('this')
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe('seen this')
  })

  it('is none where nobody listens, and where a name has no address', async () => {
    const options = { allowPrivate: true, timeoutMs: 2_000 }
    await expect(openGuardedSocket('127.0.0.1', 1, options)).rejects.toMatchObject({ failure: 'unreachable' })
    await expect(openGuardedSocket('nobody.invalid', 80, options)).rejects.toMatchObject({ name: 'EgressError' })
  })
})
