import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/**
 * Interface of every simulator for the sandbox and tests. A simulator shares no code with the connector of its source.
 */
export interface Simulator {
  /** The connector's key. */
  key: string
  handle(request: IncomingMessage, response: ServerResponse): void
  /**
   * Arms a fault for the next `times` matching requests; defaults to 1. Throws for an unknown name, listing the known
   * ones.
   */
  fault(name: string, times?: number): void
  clearFaults(): void
  /** Moves the simulator's clock forward. */
  moveClock(ms: number): void
  close(): Promise<void>
}

export interface SimulatorOptions {
  /** Public address without a trailing slash; known only once the server listens, so it is read each time. */
  baseUrl(): string
  /** Selects the generated company; the same seed yields the same data. */
  seed?: number
  now?(): Date
  /** File that keeps the state over restarts; defaults to memory only. */
  stateFile?: string
}

/**
 * How the sandbox serves a simulator, and the settings that the source's connector needs. Each folder describes itself
 * in `sandbox.ts`.
 */
export interface SandboxSource {
  /**
   * Offset from the first port. A new source takes the next number, so that addresses typed into forms earlier stay
   * valid.
   */
  port: number
  /** Loads the code at the first request, so that an unused source costs nothing. */
  load(): Promise<(options: SimulatorOptions) => Simulator>
  app: Record<string, string>
  /** Names of the source's addresses; all lead to the simulator. Empty if owners type the address. */
  hosts: readonly string[]
  /** Values that owners type into the form, for sources that have one. */
  example?(url: string): Record<string, string>
  /**
   * Present if the option `giantAccounts` generates a company of any size, for the benchmark. Its owner signs in as
   * `load` on the consent page, or types `form`.
   */
  giant?: { form?: Record<string, string> }
}

/** Sandbox sources, by connector key. */
export type SandboxSources = Record<string, SandboxSource>

/** Methods needed to serve a simulator. */
export type ServedSimulator = Pick<Simulator, 'handle' | 'close'>

export interface RunningSimulator<S extends ServedSimulator> {
  url: string
  simulator: S
  close(): Promise<void>
}

/** Serves a simulator on loopback; port 0 uses any free port. */
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

/** Port on loopback; 0 uses any free port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
    })
  })
}
