import { StateStore } from '../kit/state.ts'

/** Everything that a restart must not forget. Times are milliseconds since 1970 by the simulator's clock. */
export interface MxState {
  clockMs: number
  /** Counts what was made, so that no two things have one guid. */
  serial: number
  users: Record<string, User>
  members: Record<string, Member>
  sessions: Record<string, WidgetSession>
  /** Where webhooks go; entered in the dashboard. */
  webhookUrl: string | null
}

export interface User {
  guid: string
  id: string | null
  email: string | null
}

export interface WidgetSession {
  /** Last part of the address, good for one opening. */
  token: string
  userGuid: string
  language: 'en' | 'fr'
  /** Repeated in webhooks, as it was given. */
  payload: string | null
  institutionCode: string | null
  /** The member that is to be repaired; later the one that was made. */
  memberGuid: string | null
  expiresAt: number
  isOpened: boolean
  step: 'institution' | 'login' | 'code' | 'done'
  problem: 'credentials' | 'code' | null
}

export interface Account {
  guid: string
  /** Fields of the answer that differ from null, by their own names; money in whole cents under `…Cents`. */
  fields: Record<string, string | number | boolean | null>
  balanceCents: number | null
  role: string
  updatedAt: number
}

export interface Transaction {
  guid: string
  accountGuid: string
  day: string
  cents: number
  isCredit: boolean
  isPending: boolean
  words: string
  merchant: string
  category: string
  updatedAt: number
}

export interface Member {
  guid: string
  userGuid: string
  institutionCode: string
  status: string
  needsCredentials: boolean
  aggregatedAt: number
  succeededAt: number | null
  /** While the bank is being read. */
  busyUntil: number | null
  /** Last day for which movements were made up. */
  through: string
  accounts: Account[]
  transactions: Transaction[]
}

export function openState(file: string | undefined): StateStore<MxState> {
  return new StateStore(file, { clockMs: 0, serial: 0, users: {}, members: {}, sessions: {}, webhookUrl: null })
}
