import type { AdapterPayload } from 'oidc-provider'
import { StateStore } from '../kit/state.ts'

/** Everything that a restart must not forget. */
export interface FdxState {
  clockMs: number
  /** Day on which the made-up books begin to be told: movements lie around it. */
  createdDay: string
  /** What oidc-provider keeps, by kind and id. `shiftMs` is how far the clock had been moved when it was kept. */
  kept: Record<string, { payload: AdapterPayload; shiftMs: number }>
  subjects: Record<string, Subject>
  edits: Record<string, Edits>
}

/** One login at one bank, as tokens name it. */
export interface Subject {
  login: string
  institution: string | null
  /** Accounts that the owner chose. */
  shared: string[]
  isRevoked: boolean
}

/** What happened to a login's books besides the passing of time. */
export interface Edits {
  removedAccounts: string[]
  removedMovements: string[]
  accounts: Record<string, Record<string, unknown>>
}

export function openState(file: string | undefined, today: string): StateStore<FdxState> {
  return new StateStore(file, { clockMs: 0, createdDay: today, kept: {}, subjects: {}, edits: {} })
}
