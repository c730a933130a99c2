/** Controls of an instance's simulators for rehearsing failures; in the sandbox only. */
export interface SandboxControls {
  list(instanceId: string): Promise<SimulatorState[]>
  /** The methods below return null for an unknown simulator. `fault` throws a `RangeError` for an unknown name. */
  fault(instanceId: string, key: string, name: string, times: number): Promise<SimulatorState | null>
  clearFaults(instanceId: string, key: string): Promise<SimulatorState | null>
  /** State of an instance's simulators without tokens, for its export. */
  readStates(instanceId: string): Promise<{ key: string; state: object }[]>
  moveClock(instanceId: string, key: string, ms: number): Promise<SimulatorState | null>
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
