import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { listen, type SandboxSource, type Simulator } from './simulator.ts'

const INSTANCE = /^\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?=[/?]|$)/

interface ServeOptions {
  source: SandboxSource
  isTest(instanceId: string): Promise<boolean>
  stateFileOf(instanceId: string): string
}

/** Simulators of one source, one for each instance, on one port. */
export interface ServedSource {
  url: string
  /** The simulator of an instance. */
  load(instanceId: string): Promise<Simulator>
  /** Closes the simulator of an instance, if it is loaded. */
  unload(instanceId: string): Promise<void>
  close(): Promise<void>
}

/**
 * Serves a source on loopback, for each test instance below its id; anything else is 404. Code and simulators are
 * loaded when they are used.
 */
export async function serveInstances({ source, isTest, stateFileOf }: ServeOptions, port: number): Promise<ServedSource> {
  const loaded = new Map<string, Promise<Simulator>>()
  let origin = ''

  function load(instanceId: string): Promise<Simulator> {
    const known = loaded.get(instanceId)
    if (known) return known
    const loading = source.load().then((create) => {
      const stateFile = stateFileOf(instanceId)
      mkdirSync(dirname(stateFile), { recursive: true, mode: 0o700 })
      return create({ baseUrl: () => `${origin}/${instanceId}`, stateFile })
    })
    loaded.set(instanceId, loading)
    loading.catch(() => loaded.delete(instanceId))
    return loading
  }

  async function handle(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/'
    const [prefix, instanceId] = INSTANCE.exec(url) ?? []
    // By another name of this machine a caller would get round the addresses that belong to its instance.
    const isOurName = request.headers.host === new URL(origin).host
    if (!isOurName || prefix === undefined || instanceId === undefined || !(await isTest(instanceId))) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no test instance has a simulator at this address')
      return
    }
    const simulator = await load(instanceId)
    // As frameworks do for what is mounted below a path: the simulator sees its own path.
    request.originalUrl = url
    request.url = url.slice(prefix.length).replace(/^(?!\/)/, '/')
    simulator.handle(request, response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`the simulator does not load: ${error}`)
    })
  })
  origin = `http://127.0.0.1:${await listen(server, port)}`
  const unload = async (instanceId: string) => {
    const loading = loaded.get(instanceId)
    loaded.delete(instanceId)
    const simulator = await loading?.catch(() => null)
    await simulator?.close()
  }
  return {
    url: origin,
    load,
    unload,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...loaded.keys()].map(unload))
    },
  }
}
