import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Simulator } from './simulator.ts'

export interface SimulatorState {
  key: string
  url: string
  faults: readonly string[]
  /** Faults armed since they were last cleared; some may have occurred already. */
  armed: readonly { name: string; times: number }[]
  clockMovedMs: number
}

/** Controls for developers over the simulators of an instance. Null for an unknown key. */
export interface SandboxControls {
  list(instanceId: string): Promise<SimulatorState[]>
  /** Throws a `RangeError` if the simulator does not know the name. */
  fault(instanceId: string, key: string, name: string, times: number): Promise<SimulatorState | null>
  clearFaults(instanceId: string, key: string): Promise<SimulatorState | null>
  moveClock(instanceId: string, key: string, ms: number): Promise<SimulatorState | null>
  /** State without codes and tokens: the clock, and what was changed in the books. */
  readStates(instanceId: string): Promise<{ key: string; state: object }[]>
  /** Removes the simulators of instances that are no test instances any more. */
  removeErased(): Promise<void>
}

interface Controlled {
  key: string
  url: string
  load(instanceId: string): Promise<Simulator>
  unload(instanceId: string): Promise<void>
}

/** Other folders belong to no instance, such as a developer's copy. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What an instance has done to one of its simulators. */
interface Done {
  armed: { name: string; times: number }[]
  movedMs: number
}

/** The deployment's own simulators, which tell the names of faults: the list loads none for an instance. */
const SHARED = '00000000-0000-0000-0000-000000000000'

export function sandboxControls(
  simulators: readonly Controlled[],
  { folder, isTest }: { folder: string; isTest(instanceId: string): Promise<boolean> },
): SandboxControls {
  /** By instance and key. */
  const done = new Map<string, Map<string, Done>>()
  /** By key. */
  const faultNames = new Map<string, string[]>()

  function doneTo(instanceId: string, key: string): Done {
    const ofInstance = done.get(instanceId) ?? new Map<string, Done>()
    done.set(instanceId, ofInstance)
    const found = ofInstance.get(key) ?? { armed: [], movedMs: 0 }
    ofInstance.set(key, found)
    return found
  }

  async function namesOf({ key, load }: Controlled): Promise<string[]> {
    const known = faultNames.get(key) ?? listFaults(await load(SHARED))
    faultNames.set(key, known)
    return known
  }

  async function describe(instanceId: string, simulator: Controlled): Promise<SimulatorState> {
    const { armed, movedMs } = done.get(instanceId)?.get(simulator.key) ?? { armed: [], movedMs: 0 }
    const { key, url } = simulator
    return { key, url: `${url}/${instanceId}`, faults: await namesOf(simulator), armed, clockMovedMs: movedMs }
  }

  async function act(
    instanceId: string,
    key: string,
    work: (simulator: Simulator, done: Done, names: readonly string[]) => void,
  ): Promise<SimulatorState | null> {
    const found = simulators.find((one) => one.key === key)
    if (!found) return null
    work(await found.load(instanceId), doneTo(instanceId, key), await namesOf(found))
    return await describe(instanceId, found)
  }

  return {
    list: (instanceId) => Promise.all(simulators.map((simulator) => describe(instanceId, simulator))),
    fault: (instanceId, key, name, times) =>
      act(instanceId, key, (simulator, to, names) => {
        if (!names.includes(name)) throw new RangeError(`unknown fault "${name}"`)
        simulator.fault(name, times)
        to.armed = [...to.armed, { name, times }]
      }),
    clearFaults: (instanceId, key) =>
      act(instanceId, key, (simulator, to) => {
        simulator.clearFaults()
        to.armed = []
      }),
    moveClock: (instanceId, key, ms) =>
      act(instanceId, key, (simulator, to) => {
        simulator.moveClock(ms)
        to.movedMs += ms
      }),
    readStates: (instanceId) => readSimulatorStates(folder, instanceId),
    removeErased: async () => {
      for (const instanceId of await listFolders(folder)) {
        if (await isTest(instanceId)) continue
        await Promise.all(simulators.map(({ unload }) => unload(instanceId)))
        done.delete(instanceId)
        await rm(join(folder, instanceId), { recursive: true, force: true })
      }
    },
  }
}

/** State of the simulators of an instance, without codes and tokens: its clocks, and what was changed in its books. */
export async function readSimulatorStates(folder: string, instanceId: string): Promise<{ key: string; state: object }[]> {
  const own = join(folder, instanceId)
  const files = existsSync(own) ? (await readdir(own)).filter((name) => name.endsWith('.json')).sort() : []
  return await Promise.all(
    files.map(async (name) => {
      const { clockMs = 0, edits = {} } = JSON.parse(await readFile(join(own, name), 'utf8'))
      return { key: name.slice(0, -'.json'.length), state: { clockMs, edits } }
    }),
  )
}

async function listFolders(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  return (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && UUID.test(entry.name))
    .map(({ name }) => name)
}

/** A simulator lists its faults in the error for an unknown one. */
function listFaults(simulator: Simulator): string[] {
  try {
    simulator.fault('?')
  } catch (error) {
    const [, names = ''] = /known: (.*)$/.exec(error instanceof Error ? error.message : '') ?? []
    return names.split(', ').filter((name) => name !== '')
  }
  return []
}
