import type { JWK } from 'jose'
import { StateStore } from '../kit/state.ts'

/** State that survives restarts. */
export interface PlaidState {
  clockMs: number
  itemCount: number
  signingKey: { kid: string; privateKey: JWK; publicKey: JWK; createdAt: number } | null
  linkTokens: Record<string, LinkToken>
  publicTokens: Record<string, { itemId: string; expiresAt: number; used: boolean }>
  items: Record<string, Item>
}

export interface LinkToken {
  token: string
  /** Last segment of the hosted address. */
  pageId: string
  createdAt: number
  expiresAt: number
  clientName: string
  language: 'en' | 'fr'
  countryCodes: string[]
  products: string[]
  optionalProducts: string[]
  daysRequested: number
  webhook: string | null
  completionRedirectUri: string | null
  institutionId: string | null
  /** Item to repair, in update mode. */
  updateItemId: string | null
  clientUserId: string
  sessions: LinkSession[]
}

type LinkStep = 'institution' | 'login' | 'code' | 'accounts' | 'success'

export interface LinkSession {
  id: string
  startedAt: number
  finishedAt: number | null
  outcome: 'open' | 'success' | 'exited'
  step: LinkStep
  problem: 'credentials' | 'code' | 'accounts' | null
  institutionId: string | null
  itemId: string | null
  publicToken: string | null
}

export type AccountRole = 'checking' | 'savings' | 'card' | 'line' | 'mortgage' | 'student' | 'business'

export interface Account {
  accountId: string
  /** Only for banks with tokenized account numbers. */
  persistentId: string | null
  role: AccountRole
  name: string
  officialName: string | null
  mask: string | null
  type: string
  subtype: string | null
  holder: 'business' | 'personal' | null
  currency: string
  /** Hundredths; amounts owed are positive, as at the source. */
  currentCents: number | null
  availableCents: number | null
  limitCents: number | null
}

export interface Transaction {
  id: string
  accountId: string
  day: string
  authorizedDay: string | null
  /** Hundredths, positive for money out, as at the source. */
  cents: number
  name: string
  merchant: string | null
  primary: string
  detailed: string
  channel: 'online' | 'in store' | 'other'
  pending: boolean
  pendingId: string | null
  addedAt: number
  modifiedAt: number | null
  removedAt: number | null
}

export interface Item {
  itemId: string
  accessToken: string
  /** Seed of this item's generated data. */
  number: number
  institutionId: string
  clientUserId: string
  webhook: string | null
  products: string[]
  error: string | null
  removed: boolean
  createdAt: number
  updatedAt: number
  /** Last day with generated transactions. */
  through: string
  accounts: Account[]
  transactions: Transaction[]
  /** Number of the last change of a transaction. */
  sequence: number
  synced: boolean
}

export function openState(file: string | undefined): StateStore<PlaidState> {
  return new StateStore(file, { clockMs: 0, itemCount: 0, signingKey: null, linkTokens: {}, publicTokens: {}, items: {} })
}
