import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** What every simulator offers to the sandbox and to tests. It shares no code with the connector that it stands in for. */
export interface Simulator {
  /** The connector's key. */
  key: string
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Arms a fault by name for the next `times` fitting requests (1 when left out). An unknown name throws with the list of names. */
  fault(name: string, times?: number): void
  clearFaults(): void
  /** Moves the simulator's clock forward. */
  moveClock(ms: number): void
  close(): Promise<void>
}

export interface SimulatorOptions {
  /** Public address, no trailing slash; known only after listening, so it is asked each time. */
  baseUrl(): string
  /** Chooses the made-up company; the same seed gives the same data. */
  seed?: number
  now?(): Date
  /** Where the state is kept so that a restart forgets nothing; in memory only when left out. */
  stateFile?: string
}

/** How the sandbox serves a simulator, and the settings with which the source's connector reaches it. Each folder describes itself in `sandbox.ts`. */
export interface SandboxSource {
  /** Its place behind the first port; the one of a new source is the next, so that addresses typed into forms before stay right. */
  port: number
  /** Its code is loaded at the first request: a source that nobody tries costs nothing. */
  load(): Promise<(options: SimulatorOptions) => Simulator>
  app: Record<string, string>
  /** Names of the source's addresses; all lead to the simulator. Empty where owners type the address. */
  hosts: readonly string[]
  /** What its owners type into the form, for sources that have one. */
  example?(url: string): Record<string, string>
  /**
   * Present where the option `giantAccounts` makes a company of as many accounts as one likes, for the benchmark. Its owner signs in as `load` on the
   * consent page, or types `form`.
   */
  giant?: { form?: Record<string, string> }
}

/** By connector key. */
export type SandboxSources = Record<string, SandboxSource>

/** All that serving one takes. */
export type ServedSimulator = Pick<Simulator, 'handle' | 'close'>

export interface RunningSimulator<S extends ServedSimulator> {
  url: string
  simulator: S
  close(): Promise<void>
}

/** Serves a simulator on loopback; port 0 takes any free one. */
export async function serveSimulator<S extends ServedSimulator>(
  create: (options: SimulatorOptions) => S,
  options: Omit<SimulatorOptions, 'baseUrl'> & { port?: number } = {},
): Promise<RunningSimulator<S>> {
  let url = ''
  const simulator = create({ ...options, baseUrl: () => url })
  const server = createServer((request, response) => simulator.handle(request, response))
  url = `http://127.0.0.1:${await listen(server, options.port ?? 0)}`
  return {
    url,
    simulator,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await simulator.close()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
    })
  })
}
