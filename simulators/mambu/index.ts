import { type BankSimulator, createBankSimulator } from '../bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, FAULTS, isData, problem } from './api.ts'
import { createWorld } from './chart.ts'
import type { World } from './world.ts'

export interface MambuSimulatorOptions extends SimulatorOptions {
  /** Deposit accounts of the load test's client; 5,000 when left out. */
  giantDeposits?: number
}

export type MambuSimulator = BankSimulator<World>

export function createMambuSimulator(options: MambuSimulatorOptions): MambuSimulator {
  return createBankSimulator(options, {
    key: 'mambu',
    faults: FAULTS,
    isState: isWorld,
    initial: () => createWorld(options.giantDeposits ?? 5_000),
    isData,
    answer: answerCall,
    throttled: () => problem(429, 5, 'EXCESSIVE_INVALID_REQUESTS'),
  })
}

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isWorld(value: unknown): value is World {
  return typeof value === 'object' && value !== null && ['clients', 'groups', 'deposits', 'loans', 'revoked'].every((name) => name in value)
}
