import type { Server } from 'node:http'

/**
 * Child process of a server under measurement: reads its start request, reports its port once it listens, and on
 * request the processor time used. It ends when the benchmark does.
 */
export async function serveForBench(open: (request: string) => Promise<Server>): Promise<void> {
  for (const end of ['disconnect', 'SIGTERM'] as const) process.once(end, () => process.exit(0))
  process.on('message', () => process.send?.({ cpuMicros: cpuMicros() }))
  const server = await open(process.argv[2] ?? '')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  process.send?.({ port: address.port })
}

/** Listens on a free loopback port. */
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
