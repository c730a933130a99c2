import type { Day } from './data/day.ts'
import type { Loan } from './data/loans.ts'
import type { Savings } from './data/savings.ts'

export interface Client {
  id: number
  accountNo: string
  displayName: string
  officeName: string
  activationDate: Day
  /** Omitted if nobody entered it. */
  legalForm?: { id: number; code: string; value: string }
}

export interface State {
  clients: Client[]
  loans: Loan[]
  savings: Savings[]
  /** Users that were disabled or whose password was changed. */
  revoked: string[]
  /** Access tokens; `endsAt` in milliseconds since the epoch. */
  tokens: Record<string, { user: string; endsAt: number }>
}

export const USERS: Readonly<Record<string, { password: string; mayRead: boolean }>> = {
  lecture: { password: 'sandbox-password-lecture', mayRead: true },
  comptoir: { password: 'sandbox-password-comptoir', mayRead: false },
}
export const OAUTH = { client: 'community-app', secret: 'sandbox-oauth-secret' }
