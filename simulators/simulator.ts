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
