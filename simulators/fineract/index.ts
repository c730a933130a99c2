import { type BankSimulator, createBankSimulator } from '../bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, FAULTS, isData } from './api.ts'
import { createWorld } from './chart.ts'
import type { World } from './world.ts'

export interface FineractSimulatorOptions extends SimulatorOptions {
  /** Whether movements can be searched, as from 1.9 on; true when left out. */
  hasSearch?: boolean
  /** Movements of the load test's account; 20,000 when left out. */
  giantMovements?: number
}

export type FineractSimulator = BankSimulator<World>

export function createFineractSimulator(options: FineractSimulatorOptions): FineractSimulator {
  const hasSearch = options.hasSearch ?? true
  return createBankSimulator(options, {
    key: 'fineract',
    faults: FAULTS,
    isState: isWorld,
    initial: () => createWorld(options.giantMovements ?? 20_000),
    isData,
    answer: (context, call) => answerCall({ ...context, hasSearch }, call),
  })
}

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isWorld(value: unknown): value is World {
  return typeof value === 'object' && value !== null && ['clients', 'loans', 'savings', 'revoked', 'tokens'].every((name) => name in value)
}
