import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, createToken, isData } from './api/routes.ts'
import { FAULTS } from './faults.ts'
import { createState, type State } from './state.ts'

export interface SimplefinSimulatorOptions extends SimulatorOptions {
  /** Transactions per year of the load-test account; defaults to 50,000. */
  giantMovements?: number
}

export interface SimplefinSimulator extends BankSimulator<State> {
  /** Setup token that the page gives an owner: `cafe`, `shop`, `giant` or `newcomer`. */
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

/** Only this simulator writes the file, so a shallow check is enough. */
function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && ['users', 'tokens', 'accesses'].every((name) => name in value)
}
