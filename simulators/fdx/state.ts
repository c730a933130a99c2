import type { AdapterPayload } from 'oidc-provider'
import { StateStore } from '../kit/state.ts'

/** State that survives restarts. */
export interface FdxState {
  clockMs: number
  /** Start of the generated books; transactions lie around this day. */
  createdDay: string
  /** Entries of oidc-provider, by kind and id. `shiftMs` is the clock offset at which the entry was stored. */
  kept: Record<string, { payload: AdapterPayload; shiftMs: number }>
  subjects: Record<string, Subject>
  edits: Record<string, Edits>
}

/** One login at one bank, as identified in tokens. */
export interface Subject {
  login: string
  institution: string | null
  /** Accounts that the owner selected. */
  shared: string[]
  isRevoked: boolean
}

/** Changes to a login's books, apart from the passing of time. */
export interface Edits {
  removedAccounts: string[]
  removedMovements: string[]
  accounts: Record<string, Record<string, unknown>>
}

export function openState(file: string | undefined, today: string): StateStore<FdxState> {
  return new StateStore(file, { clockMs: 0, createdDay: today, kept: {}, subjects: {}, edits: {} })
}
