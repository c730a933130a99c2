import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

/** Exposes the test database, whose socket only this user may use, on a loopback port for another user's container. */
export async function serveByTcp(socketUrl: string): Promise<{ url: string; close(): void }> {
  const [, user = '', name = '', folder = ''] = /^postgres(?:ql)?:\/\/([^@]*)@\/([^?]+)\?host=([^&]+)/.exec(socketUrl) ?? []
  if (folder === '') throw new Error('the test database has no socket')
  const server = createServer((client) => {
    const database = connect(join(decodeURIComponent(folder), '.s.PGSQL.5432'))
    for (const one of [client, database]) one.on('error', () => [client, database].map((each) => each.destroy()))
    client.pipe(database).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `postgres://${user}@127.0.0.1:${address.port}/${name}`, close: () => void server.close() }
}
