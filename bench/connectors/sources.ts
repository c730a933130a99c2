import { SANDBOX_SOURCES } from '../../simulators/sandbox-sources.ts'
import type { SandboxSource, Simulator, SimulatorOptions } from '../../simulators/simulator.ts'

/** Of the simulators' own limits the bench takes no notice: it asks what we cost, not what a provider allows. */
const UNLIMITED = { callsPerMinute: 1e9, callsPerDay: 1e9, callsPerSecond: 1e9, callsPerWindow: 1e9, concurrency: 1_000 }

/** Every source whose simulator has a company of as many accounts as one likes. */
export const GIANT_SOURCES: Readonly<Record<string, SandboxSource>> = Object.fromEntries(
  Object.entries(SANDBOX_SOURCES).filter(([, { giant }]) => giant !== undefined),
)

/** A simulator whose giant has so many accounts and whose limits are off. */
export async function createGiant(key: string, giantAccounts: number, options: SimulatorOptions): Promise<Simulator> {
  const create = await GIANT_SOURCES[key]?.load()
  if (!create) throw new Error(`no giant at ${key}`)
  const unlimited = { ...options, ...UNLIMITED, giantAccounts }
  return create(unlimited)
}
