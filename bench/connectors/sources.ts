import { SANDBOX_SOURCES } from '../../simulators/sandbox-sources.ts'
import type { SandboxSource, Simulator, SimulatorOptions } from '../../simulators/simulator.ts'

/** Turns off the simulators' rate limits: the benchmark measures our cost, not what a provider allows. */
const UNLIMITED = { callsPerMinute: 1e9, callsPerDay: 1e9, callsPerSecond: 1e9, callsPerWindow: 1e9, concurrency: 1_000 }

/** Every source whose simulator can generate a company with any number of accounts. */
export const GIANT_SOURCES: Readonly<Record<string, SandboxSource>> = Object.fromEntries(
  Object.entries(SANDBOX_SOURCES).filter(([, { giant }]) => giant !== undefined),
)

/** A simulator whose giant has `giantAccounts` accounts and that has no limits. */
export async function createGiant(key: string, giantAccounts: number, options: SimulatorOptions): Promise<Simulator> {
  const create = await GIANT_SOURCES[key]?.load()
  if (!create) throw new Error(`${key} has no giant`)
  const unlimited = { ...options, ...UNLIMITED, giantAccounts }
  return create(unlimited)
}
