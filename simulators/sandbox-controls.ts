import type { Simulator } from './simulator.ts'

export interface SimulatorState {
  key: string
  url: string
  faults: readonly string[]
  /** Faults armed since they were last cleared; some may have occurred already. */
  armed: readonly { name: string; times: number }[]
  clockMovedMs: number
}

/** Controls for developers over the simulators. Null for an unknown key. */
export interface SandboxControls {
  list(): Promise<SimulatorState[]>
  /** Throws a `RangeError` if the simulator does not know the name. */
  fault(key: string, name: string, times: number): Promise<SimulatorState | null>
  clearFaults(key: string): Promise<SimulatorState | null>
  moveClock(key: string, ms: number): Promise<SimulatorState | null>
}

interface Controlled {
  key: string
  url: string
  load(): Promise<Simulator>
}

export function sandboxControls(simulators: readonly Controlled[]): SandboxControls {
  const armed = new Map<string, { name: string; times: number }[]>()
  const moved = new Map<string, number>()

  async function describe({ key, url, load }: Controlled): Promise<SimulatorState> {
    const faults = listFaults(await load())
    return { key, url, faults, armed: armed.get(key) ?? [], clockMovedMs: moved.get(key) ?? 0 }
  }

  async function act(key: string, work: (simulator: Simulator) => void): Promise<SimulatorState | null> {
    const found = simulators.find((one) => one.key === key)
    if (!found) return null
    work(await found.load())
    return await describe(found)
  }

  return {
    list: () => Promise.all(simulators.map(describe)),
    fault: (key, name, times) =>
      act(key, (simulator) => {
        if (!listFaults(simulator).includes(name)) throw new RangeError(`unknown fault "${name}"`)
        simulator.fault(name, times)
        armed.set(key, [...(armed.get(key) ?? []), { name, times }])
      }),
    clearFaults: (key) =>
      act(key, (simulator) => {
        simulator.clearFaults()
        armed.delete(key)
      }),
    moveClock: (key, ms) =>
      act(key, (simulator) => {
        simulator.moveClock(ms)
        moved.set(key, (moved.get(key) ?? 0) + ms)
      }),
  }
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
