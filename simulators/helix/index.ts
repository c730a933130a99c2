import { type BankSimulator, createBankSimulator } from '../bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, FAULTS, isData } from './api.ts'
import { createWorld, type World } from './world.ts'

export interface HelixSimulatorOptions extends SimulatorOptions {
  /** Movements of the load test's account; 20,000 when left out. */
  giantMovements?: number
}

export type HelixSimulator = BankSimulator<World>

export function createHelixSimulator(options: HelixSimulatorOptions): HelixSimulator {
  return createBankSimulator(options, {
    key: 'helix',
    faults: FAULTS,
    isState: isWorld,
    initial: () => createWorld(options.giantMovements ?? 20_000),
    isData,
    answer: answerCall,
  })
}

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isWorld(value: unknown): value is World {
  return typeof value === 'object' && value !== null && ['customers', 'accounts', 'statuses', 'revoked'].every((name) => name in value)
}
