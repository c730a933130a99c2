import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData } from './api/routes.ts'
import { createState } from './data/chart.ts'
import { FAULTS } from './faults.ts'
import type { State } from './state.ts'

export interface FineractSimulatorOptions extends SimulatorOptions {
  /** Whether transactions can be searched, as from version 1.9; defaults to true. */
  hasSearch?: boolean
  /** Transactions of the load-test account; defaults to 20,000. */
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

/** Only this simulator writes the file, so a shallow check is enough. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['clients', 'loans', 'savings', 'revoked', 'tokens'].every((name) => name in value)
}
