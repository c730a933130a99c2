import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData } from './api/routes.ts'
import { FAULTS } from './faults.ts'
import { createState, type State } from './state.ts'

export interface HelixSimulatorOptions extends SimulatorOptions {
  /** Transactions of the load-test account; defaults to 20,000. */
  giantMovements?: number
}

export type HelixSimulator = BankSimulator<State>

export function createHelixSimulator(options: HelixSimulatorOptions): HelixSimulator {
  return createBankSimulator(options, {
    key: 'helix',
    faults: FAULTS,
    isState: isState,
    initial: () => createState(options.giantMovements ?? 20_000),
    isData,
    answer: answerCall,
  })
}

/** Only this simulator writes the file, so a shallow check is enough. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['customers', 'accounts', 'statuses', 'revoked'].every((name) => name in value)
}
