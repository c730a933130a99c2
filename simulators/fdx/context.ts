import type Provider from 'oidc-provider'
import type { Account } from './data/accounts.ts'
import type { Style } from './data/profiles.ts'
import type { FdxState, Subject } from './state.ts'

/** Context shared by the modules of one simulator. */
export interface Context {
  style: Style
  state: FdxState
  provider(): Provider
  baseUrl(): string
  nowMs(): number
  today(): string
  save(): void
  accountsOf(login: string, institution: string | null): Account[]
  /** Whether a call used the certificate that its token is bound to is checked by the provider. */
  subject(id: string): Subject | null
}
