import type { ServedControls } from '../../simulators/kit/http/front.ts'
import type { Simulator } from '../../simulators/simulator.ts'
import type { SourceError } from '../../src/connectors/contract/contract.ts'
import type { ConnectorHarness } from '../harness/connector.ts'
import type { OwnerAnswer } from '../harness/redirect.ts'
import type { Inapplicable } from './subject.ts'

/** What the OAuth tests need to know about a source whose owner returns with an authorization code. */
export interface RedirectSubject {
  open(settings?: RedirectSettings): Promise<OpenedRedirect>
  /** The same with a confidential client, if `open` uses a public one. */
  openWithSecret?(): Promise<OpenedRedirect>
  /** Callback of an owner who refuses. */
  refuses: OwnerAnswer
  /** Error message for a code that was already used; defaults to `invalid_grant`. */
  usedCode?: string
  /** Lifetime of an authorization code. */
  codeMs: number
  /** Omitted if the source checks a PKCE verifier. */
  verifier?: Inapplicable
  /** Callbacks that are refused without a call, besides one without a code. */
  wrongCallbacks?: readonly Readonly<Record<string, string>>[]
  /** The fault that returns the books of another owner; defaults to `wrongEntity`. */
  otherBooks?: string
  /** Callback of an owner affected by that fault, if it swaps only some books. */
  swapped?: OwnerAnswer
  /** Forged callback parameters that name the books of another owner. */
  forged: Readonly<Record<string, string>> | Inapplicable
  /**
   * Callback of an owner whose login has no books, the message in both languages, and the fault that removes the books
   * in the meantime.
   */
  withoutBooks: { answer: OwnerAnswer; says: readonly [en: string, fr: string]; fault?: string } | Inapplicable
  /** Matches each requested scope. */
  scopes: RegExp | Inapplicable
  /** Callback of an owner whose login gives access to several books. */
  several: OwnerAnswer | Inapplicable
  /** The consent page in French, as far as the browser's language decides it. */
  frenchPage: RegExp | Inapplicable
  /** Parameters of authorization requests that the source refuses, besides those that every source refuses. */
  invalidRequests?: readonly Readonly<Record<string, string>>[]
  /** Omitted if the seed selects the books of the simulator. */
  seeded?: Inapplicable
  /** Settings for a low rate limit, if the simulator has one. */
  callLimit?: { settings: RedirectSettings; windowMs: number }
  /** Lifetime of an access token. */
  accessTokenMs: number
  /** Whether a refresh token is invalid once it is used. */
  usedRefreshToken: 'ended' | Inapplicable
  /** Result of the next refresh when the answer of one was lost. */
  lostAnswer: 'reconnect' | 'new tokens'
  /** Faults of the simulator at a refresh, besides the common ones. */
  refreshFaults?: Readonly<Record<string, SourceError['kind']>>
  /** Omitted if the simulator can hold an answer back. */
  slow?: Inapplicable
  /** Error message for refused app keys; defaults to the name of the key. */
  refusedKey?: RegExp
  /** Tokens that a disconnect ends at once. */
  disconnect: 'all tokens' | 'refresh token' | Inapplicable
}

export interface RedirectSettings {
  stateFile?: string
  timeoutMs?: number
  seed?: number
  callsPerSecond?: number
  callsPerMinute?: number
  callsPerWindow?: number
}

type RedirectHarness = ConnectorHarness<Simulator & ServedControls<object>>

export interface OpenedRedirect {
  harness: RedirectHarness
  /** Revokes the authorization at the source, as the owner can. */
  revoke(): void
}

/** Opens a source at which `owner`, a login or books, revokes the authorization. */
export function opensFor<S>(
  openHarness: (settings?: S) => Promise<RedirectHarness & { simulator: { revoke(owner: string): void } }>,
  owner: string,
): (settings?: S) => Promise<OpenedRedirect> {
  return async (settings) => {
    const harness = await openHarness(settings)
    return { harness, revoke: () => harness.simulator.revoke(owner) }
  }
}
