import type { Server } from 'node:http'

/**
 * The side of a server under measurement: what it was started with, its port to the bench when it listens, and on request the processor
 * time it has used. It ends when the bench does.
 */
export async function serveForBench(open: (request: string) => Promise<Server>): Promise<void> {
  for (const end of ['disconnect', 'SIGTERM'] as const) process.once(end, () => process.exit(0))
  process.on('message', () => process.send?.({ cpuMicros: cpuMicros() }))
  const server = await open(process.argv[2] ?? '')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  process.send?.({ port: address.port })
}

/** Starts to listen on a free port of this machine. */
export function listen(server: Server): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
