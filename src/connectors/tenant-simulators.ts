import { type Kit, SourceError } from './contract/contract.ts'

/** Simulators that are served by instance, below an address for each. */
interface Served {
  hosts?: Record<string, string>
  servedAt?: string
}

const INSTANCE = /^\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=\/|$)/i

/** Origins below which simulators are served by instance. */
export function servedOrigins(simulators: Readonly<Record<string, Served>>): ReadonlySet<string> {
  return new Set(Object.values(simulators).flatMap(({ servedAt }) => (servedAt === undefined ? [] : [new URL(servedAt).origin])))
}

/** The simulator's addresses for one instance. */
export function ofInstance<S extends Served>(simulator: S, instanceId: string): S {
  if (simulator.servedAt === undefined || !simulator.hosts) return simulator
  const hosts = Object.fromEntries(Object.entries(simulator.hosts).map(([name, url]) => [name, `${url}/${instanceId}`]))
  return { ...simulator, hosts }
}

/** Path at the simulator itself. */
export function withoutInstance(path: string): string {
  return path.replace(INSTANCE, '')
}

/**
 * Kit that restricts an instance to its own simulators: a call to any simulator, even at an entered address, goes to
 * that of the instance. With null the instance has none, and such calls are refused.
 */
export function restrictToOwnSimulators(kit: Kit, served: ReadonlySet<string>, instanceId: string | null): Kit {
  return {
    ...kit,
    http: async (request) => {
      const url = URL.canParse(request.url) ? new URL(request.url) : null
      if (url === null || !served.has(url.origin)) return await kit.http(request)
      if (instanceId === null) throw new SourceError('unavailable', 'simulators are for test instances only')
      url.pathname = `/${instanceId}${withoutInstance(url.pathname)}`
      return await kit.http({ ...request, url: url.href })
    },
  }
}
