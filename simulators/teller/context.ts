import type { BankContext } from '../kit/bank-simulator.ts'
import type { FaultName } from './faults.ts'
import type { TellerState } from './state.ts'

export interface Context {
  bank: BankContext<TellerState, FaultName>
  seed: number
  institutions: { id: string; name: string; products: string[] }[]
  /** Accounts of an owner at the giant bank. */
  giant: { accounts: number; perDay: number }
}
