import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData } from './api/routes.ts'
import { createState } from './data/chart.ts'
import { FAULTS } from './faults.ts'
import type { State } from './state.ts'

export interface FineractSimulatorOptions extends SimulatorOptions {
  /** Whether movements can be searched, as from 1.9 on; true when left out. */
  hasSearch?: boolean
  /** Movements of the load test's account; 20,000 when left out. */
  giantMovements?: number
}

export type FineractSimulator = BankSimulator<State>

export function createFineractSimulator(options: FineractSimulatorOptions): FineractSimulator {
  const hasSearch = options.hasSearch ?? true
  return createBankSimulator(options, {
    key: 'fineract',
    faults: FAULTS,
    isState: isState,
    initial: () => createState(options.giantMovements ?? 20_000),
    isData,
    answer: (context, call) => answerCall({ ...context, hasSearch }, call),
  })
}

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['clients', 'loans', 'savings', 'revoked', 'tokens'].every((name) => name in value)
}
