import { createHash } from 'node:crypto'

/** Rendezvous hashing: each process has the same order for a key, and a replica that is lost moves only its own keys. */
export function rankServers<Server extends { name: string }>(key: string, servers: readonly Server[]): readonly Server[] {
  if (servers.length === 1) return servers
  const weigh = ({ name }: Server): string => createHash('sha256').update(`${name} ${key}`).digest('hex')
  return servers
    .map((server) => ({ server, weight: weigh(server) }))
    .toSorted((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ server }) => server)
}
