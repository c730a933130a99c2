import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData, problem } from './api/routes.ts'
import { createState } from './data/chart.ts'
import { FAULTS } from './faults.ts'
import type { State } from './state.ts'

export interface MambuSimulatorOptions extends SimulatorOptions {
  /** Deposit accounts of the load-test client; defaults to 5,000. */
  giantDeposits?: number
}

export type MambuSimulator = BankSimulator<State>

export function createMambuSimulator(options: MambuSimulatorOptions): MambuSimulator {
  return createBankSimulator(options, {
    key: 'mambu',
    faults: FAULTS,
    isState: isState,
    initial: () => createState(options.giantDeposits ?? 5_000),
    isData,
    answer: answerCall,
    throttled: () => problem(429, 5, 'EXCESSIVE_INVALID_REQUESTS'),
  })
}

/** Only this simulator writes the file, so a shallow check is enough. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['clients', 'groups', 'deposits', 'loans', 'revoked'].every((name) => name in value)
}
