import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findFirstInstance, isTestInstance } from '../../store/access/instances.ts'
import type { Database } from '../../store/db/database.ts'
import { acrossInstances } from '../../store/db/instance-scope.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import type { Config } from '../settings/config.ts'

/** Folder of the simulators' state. */
function simulatorFolderOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'simulators')
}

/** Code of the simulators. A package does not have them. */
export async function loadSimulators() {
  return await import('../../../simulators/sandbox.ts')
}

interface SandboxParts {
  closers: (() => Promise<unknown>)[]
  /** Throws what says that the simulators are not installed. */
  explainMissing(error: unknown): never
  explainPort(error: unknown, port: number): unknown
  onError(error: unknown): void
}

/**
 * Simulators, only in the sandbox, where their code is loaded. They run beside the API; a worker-only process finds
 * them by the same `PORT`, like the mail catcher.
 */
export async function openSandbox(config: Config, database: Database, { closers, explainMissing, explainPort, onError }: SandboxParts) {
  if (config.environment !== 'sandbox') return null
  const { moveOldState, settingsOfSandbox, startSandbox } = await loadSimulators().catch(explainMissing)
  if (config.role === 'worker') return { settings: settingsOfSandbox(config.port + 1), addresses: [], controls: undefined }
  const folder = simulatorFolderOf(config)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const first = await findFirstInstance(database)
  if (first) await moveOldState(folder, first.id)
  // Data shared by all instances, such as directories of banks, is read from simulators of the system instance.
  const isTest = async (instanceId: string) =>
    instanceId === SYSTEM_INSTANCE_ID || (await acrossInstances(() => isTestInstance(database, instanceId)))
  const options = { folder, firstPort: config.port + 1, isExact: config.role === 'api', isTest, onError }
  const sandbox = await startSandbox(options).catch((error: unknown) => {
    throw explainPort(error, config.port)
  })
  closers.push(() => sandbox.close())
  return sandbox
}

/** Reads the state of an instance's simulators for its export; undefined outside of the sandbox. */
export async function simulatorReader(
  config: Config,
): Promise<((instanceId: string) => Promise<{ key: string; state: object }[]>) | undefined> {
  if (config.environment !== 'sandbox') return undefined
  const { readSimulatorStates } = await import('../../../simulators/sandbox-controls.ts')
  return async (instanceId) => await readSimulatorStates(simulatorFolderOf(config), instanceId)
}

/** Addresses of an instance's simulators, by connector key. */
export function addressesOf(sandbox: Awaited<ReturnType<typeof openSandbox>>, instanceId: string): { key: string; url: string }[] {
  return (sandbox?.addresses ?? []).map(({ key, url }) => ({ key, url: `${url}/${instanceId}` }))
}
