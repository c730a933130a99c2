import { join } from 'node:path'
import { type SandboxControls, sandboxControls } from './sandbox-controls.ts'
import { SANDBOX_SOURCES } from './sandbox-sources.ts'
import {
  type RunningSimulator,
  type SandboxSource,
  type ServedSimulator,
  type Simulator,
  type SimulatorOptions,
  serveSimulator,
} from './simulator.ts'

const LAST_PORT = 65_535

/** Keys and addresses by connector key, in the format of `createSources`. */
export type SandboxSettings = Record<
  string,
  { app: Record<string, string>; hosts: Record<string, string>; example?: Record<string, string> }
>

export interface Sandbox {
  settings: SandboxSettings
  addresses: { key: string; url: string }[]
  controls: SandboxControls
  close(): Promise<void>
}

/**
 * Starts the simulators on loopback, on `firstPort` and the following free ports; with `isExact`, a port that is in
 * use is an error, because other processes call it. State is kept in `folder`, so that authorizations survive a
 * restart.
 */
export async function startSandbox(options: { folder: string; firstPort: number; isExact: boolean }): Promise<Sandbox> {
  const running: { key: string; source: SandboxSource; run: RunningSimulator<LazySimulator> }[] = []
  const close = async () => {
    await Promise.all(running.map(({ run }) => run.close()))
  }
  try {
    for (const [key, source] of Object.entries(SANDBOX_SOURCES)) {
      const stateFile = join(options.folder, `${key}.json`)
      running.push({ key, source, run: await serveNear(source, stateFile, options.firstPort + source.port, options.isExact) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    settings: Object.fromEntries(running.map(({ key, source, run }) => [key, settingsAt(source, run.url)])),
    addresses: running.map(({ key, run }) => ({ key, url: run.url })),
    controls: sandboxControls(running.map(({ key, run }) => ({ key, url: run.url, load: run.simulator.load }))),
    close,
  }
}

/** Settings of a sandbox that another process on this machine has started with `isExact`. */
export function settingsOfSandbox(firstPort: number): SandboxSettings {
  const sources = Object.entries(SANDBOX_SOURCES)
  return Object.fromEntries(sources.map(([key, source]) => [key, settingsAt(source, `http://127.0.0.1:${firstPort + source.port}`)]))
}

function settingsAt(source: SandboxSource, url: string): SandboxSettings[string] {
  return {
    app: source.app,
    hosts: Object.fromEntries(source.hosts.map((host) => [host, url])),
    ...(source.example ? { example: source.example(url) } : {}),
  }
}

async function serveNear(
  source: SandboxSource,
  stateFile: string,
  wanted: number,
  isExact: boolean,
): Promise<RunningSimulator<LazySimulator>> {
  const port = wanted > LAST_PORT && !isExact ? 0 : wanted
  try {
    return await serveSimulator((options) => loadedWhenUsed(source, options), { stateFile, port })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken || isExact) throw error
    return await serveSimulator((options) => loadedWhenUsed(source, options), { stateFile, port: 0 })
  }
}

interface LazySimulator extends ServedSimulator {
  load(): Promise<Simulator>
}

function loadedWhenUsed(source: SandboxSource, options: SimulatorOptions): LazySimulator {
  let loading: Promise<Simulator> | null = null
  const load = () => {
    loading ??= source.load().then((create) => create(options))
    return loading
  }
  return {
    load,
    handle: (request, response) => {
      load().then(
        (simulator) => simulator.handle(request, response),
        (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`the simulator does not load: ${error}`),
      )
    },
    close: async () => await (await loading)?.close(),
  }
}
