import { StateStore } from '../kit/state.ts'

/** State that survives restarts. Times are milliseconds since the epoch by the simulator's clock. */
export interface MxState {
  clockMs: number
  /** Counter that makes guids unique. */
  serial: number
  users: Record<string, User>
  members: Record<string, Member>
  sessions: Record<string, WidgetSession>
  /** Webhook address, entered in the dashboard. */
  webhookUrl: string | null
}

export interface User {
  guid: string
  id: string | null
  email: string | null
}

export interface WidgetSession {
  /** Last segment of the address; can be opened once. */
  token: string
  userGuid: string
  language: 'en' | 'fr'
  /** Repeated in webhooks unchanged. */
  payload: string | null
  institutionCode: string | null
  /** Member to repair; afterwards the created member. */
  memberGuid: string | null
  expiresAt: number
  isOpened: boolean
  step: 'institution' | 'login' | 'code' | 'done'
  problem: 'credentials' | 'code' | null
}

export interface Account {
  guid: string
  /** Fields of the answer that are not null, under their own names; money in cents under `…Cents`. */
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
  /** End of the running aggregation. */
  busyUntil: number | null
  /** Last day with generated transactions. */
  through: string
  accounts: Account[]
  transactions: Transaction[]
}

export function openState(file: string | undefined): StateStore<MxState> {
  return new StateStore(file, { clockMs: 0, serial: 0, users: {}, members: {}, sessions: {}, webhookUrl: null })
}
