/** Controls of the simulators for rehearsing failures; in the sandbox only. */
export interface SandboxControls {
  list(): Promise<SimulatorState[]>
  /** The methods below return null for an unknown simulator. `fault` throws a `RangeError` for an unknown name. */
  fault(key: string, name: string, times: number): Promise<SimulatorState | null>
  clearFaults(key: string): Promise<SimulatorState | null>
  moveClock(key: string, ms: number): Promise<SimulatorState | null>
}

export interface SimulatorState {
  key: string
  url: string
  /** Names of the faults it can simulate. */
  faults: readonly string[]
  /** Requested since the faults were last cleared; some may already have happened. */
  armed: readonly { name: string; times: number }[]
  /** Offset of its clock. */
  clockMovedMs: number
}
