/** What a developer can do to the simulators, to rehearse what goes wrong; there are such controls in the sandbox only. */
export interface SandboxControls {
  list(): Promise<SimulatorState[]>
  /** The methods below give null for an unknown simulator. `fault` throws a `RangeError` for an unknown name. */
  fault(key: string, name: string, times: number): Promise<SimulatorState | null>
  clearFaults(key: string): Promise<SimulatorState | null>
  moveClock(key: string, ms: number): Promise<SimulatorState | null>
}

export interface SimulatorState {
  key: string
  url: string
  /** Names of what it can be made to do wrong. */
  faults: readonly string[]
  /** Asked for since the faults were last cleared; some may have happened already. */
  armed: readonly { name: string; times: number }[]
  /** How far its clock is ahead. */
  clockMovedMs: number
}
