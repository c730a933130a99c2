import type Provider from 'oidc-provider'
import type { Account } from './data/accounts.ts'
import type { Style } from './data/profiles.ts'
import type { FdxState, Subject } from './state.ts'

/** What the parts of one simulator share. */
export interface Context {
  style: Style
  state: FdxState
  provider(): Provider
  baseUrl(): string
  nowMs(): number
  today(): string
  save(): void
  accountsOf(login: string, institution: string | null): Account[]
  /** Whether a call came over a connection with the certificate that its token is bound to is the provider's own business. */
  subject(id: string): Subject | null
}
