import { StateStore } from '../kit/state.ts'

/** State that survives restarts. Times are milliseconds since the epoch by the simulator's clock. */
export interface YodleeState {
  clockMs: number
  /** Counter that makes ids unique. */
  serial: number
  users: Record<string, User>
  tokens: Record<string, { loginName: string; expiresAt: number }>
  providerAccounts: Record<string, ProviderAccount>
  /** Address by event. */
  subscriptions: Record<string, string>
}

export interface User {
  id: number
  loginName: string
  locale: string
}

export interface Account {
  id: number
  role: string
  container: string
  /** Amounts in the account's currency, by field name of the answer. */
  money: Record<string, number>
  fields: Record<string, string | number | boolean>
  currency: string
}

export interface Transaction {
  id: number
  accountId: number
  container: string
  day: string
  cents: number
  isCredit: boolean
  status: 'POSTED' | 'PENDING' | 'SCHEDULED' | 'FAILED'
  words: string
  merchant: string
  category: string
}

export interface ProviderAccount {
  id: number
  loginName: string
  providerId: number
  consentId: number
  status: string
  additionalStatus: string
  createdAt: number
  lastUpdated: number | null
  /** Last day with generated transactions. */
  through: string
  accounts: Account[]
  transactions: Transaction[]
}

export function openState(file: string | undefined): StateStore<YodleeState> {
  return new StateStore(file, { clockMs: 0, serial: 10_000_000, users: {}, tokens: {}, providerAccounts: {}, subscriptions: {} })
}
