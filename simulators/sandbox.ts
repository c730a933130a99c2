import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type SandboxControls, sandboxControls } from './sandbox-controls.ts'
import { type ServedSource, serveInstances } from './sandbox-server.ts'
import { SANDBOX_SOURCES } from './sandbox-sources.ts'
import type { SandboxSource } from './simulator.ts'

const LAST_PORT = 65_535
/** How often the simulators of erased instances are looked for. */
const SWEEP_MS = 30_000

/** Keys and addresses by connector key, in the format of `createSources`. */
export type SandboxSettings = Record<
  string,
  { app: Record<string, string>; hosts: Record<string, string>; example?: Record<string, string>; servedAt: string }
>

export interface Sandbox {
  settings: SandboxSettings
  addresses: { key: string; url: string }[]
  controls: SandboxControls
  close(): Promise<void>
}

interface SandboxOptions {
  /** State is kept in a folder for each instance below it, so that authorizations survive a restart. */
  folder: string
  /** The simulators listen on this port and the following free ones. */
  firstPort: number
  /** A port that is in use is an error, because other processes call it. */
  isExact: boolean
  /** Whether an instance has simulators. */
  isTest(instanceId: string): Promise<boolean>
  /** Called when simulators of erased instances could not be removed; tried again half a minute later. */
  onError(error: unknown): void
}

/**
 * Starts the simulators on loopback. Each test instance has its own below its id (`http://127.0.0.1:8081/<id>`), made
 * when they are first used and removed with the instance; nothing is served elsewhere.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const running: { key: string; source: SandboxSource; served: ServedSource }[] = []
  const close = async () => {
    await Promise.all(running.map(({ served }) => served.close()))
  }
  try {
    for (const [key, source] of Object.entries(SANDBOX_SOURCES))
      running.push({ key, source, served: await serveNear(key, source, options) })
  } catch (error) {
    await close()
    throw error
  }
  const controls = sandboxControls(
    running.map(({ key, served }) => ({ key, url: served.url, load: served.load, unload: served.unload })),
    options,
  )
  const sweeping = setInterval(() => void controls.removeErased().catch(options.onError), SWEEP_MS).unref()
  return {
    settings: Object.fromEntries(running.map(({ key, source, served }) => [key, settingsAt(source, served.url)])),
    addresses: running.map(({ key, served }) => ({ key, url: served.url })),
    controls,
    close: async () => {
      clearInterval(sweeping)
      await close()
    },
  }
}

/** Gives the state of a release that had one simulator for all to one instance, so that its authorizations survive. */
export async function moveOldState(folder: string, instanceId: string): Promise<void> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
  if (files.length === 0) return
  await mkdir(join(folder, instanceId), { recursive: true, mode: 0o700 })
  for (const { name } of files) await rename(join(folder, name), join(folder, instanceId, name))
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
    servedAt: url,
    ...(source.example ? { example: source.example(url) } : {}),
  }
}

async function serveNear(
  key: string,
  source: SandboxSource,
  { folder, firstPort, isExact, isTest }: SandboxOptions,
): Promise<ServedSource> {
  const wanted = firstPort + source.port
  const served = { source, isTest, stateFileOf: (instanceId: string) => join(folder, instanceId, `${key}.json`) }
  try {
    return await serveInstances(served, wanted > LAST_PORT && !isExact ? 0 : wanted)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken || isExact) throw error
    return await serveInstances(served, 0)
  }
}
