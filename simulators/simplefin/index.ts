import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, createToken, isData } from './api/routes.ts'
import { FAULTS } from './faults.ts'
import { createState, type State } from './state.ts'

export interface SimplefinSimulatorOptions extends SimulatorOptions {
  /** Movements a year of the load test's account; 50,000 when left out. */
  giantMovements?: number
}

export interface SimplefinSimulator extends BankSimulator<State> {
  /** What the page gives an owner: `cafe`, `shop`, `giant` or `newcomer`. */
  createToken(user: string): string
}

export function createSimplefinSimulator(options: SimplefinSimulatorOptions): SimplefinSimulator {
  const simulator = createBankSimulator(options, {
    key: 'simplefin',
    faults: FAULTS,
    isState: isState,
    initial: () => createState(options.giantMovements ?? 50_000),
    isData,
    answer: answerCall,
  })
  return { ...simulator, createToken: (user) => createToken({ ...simulator, baseUrl: options.baseUrl }, user) }
}

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['users', 'tokens', 'accesses'].every((name) => name in value)
}
