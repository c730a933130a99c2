import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SandboxSources } from './simulator.ts'

const folders = readdirSync(import.meta.dirname)
  .map((name) => join(import.meta.dirname, name, 'sandbox.ts'))
  .filter((file) => existsSync(file))

const described = await Promise.all(
  folders.map(async (file) => {
    const { sandbox }: { sandbox: SandboxSources } = await import(pathToFileURL(file).href)
    return sandbox
  }),
)

/** Sandbox descriptions from the simulators' folders, in order of port. */
export const SANDBOX_SOURCES: SandboxSources = Object.fromEntries(
  described.flatMap((sources) => Object.entries(sources)).sort(([, one], [, other]) => one.port - other.port),
)
