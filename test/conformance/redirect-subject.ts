import type { ServedControls } from '../../simulators/kit/http/front.ts'
import type { Simulator } from '../../simulators/simulator.ts'
import type { SourceError } from '../../src/connectors/contract/contract.ts'
import type { ConnectorHarness } from '../harness/connector.ts'
import type { OwnerAnswer } from '../harness/redirect.ts'
import type { Inapplicable } from './subject.ts'

/** What the OAuth promises have to know about a source whose owner comes back with an authorization code. */
export interface RedirectSubject {
  open(settings?: RedirectSettings): Promise<OpenedRedirect>
  /** The same with an app that has a secret, where `open` gives one without. */
  openWithSecret?(): Promise<OpenedRedirect>
  /** The answer of an owner who refuses. */
  refuses: OwnerAnswer
  /** What the failure says of a code that was used before; `invalid_grant` where left out. */
  usedCode?: string
  /** How long a code is good for. */
  codeMs: number
  /** Left out where the source checks a verifier (PKCE). */
  verifier?: Inapplicable
  /** Callbacks that are refused without a call, beside one without a code. */
  wrongCallbacks?: readonly Readonly<Record<string, string>>[]
  /** The fault that gives the books of somebody else; `wrongEntity` where left out. */
  otherBooks?: string
  /** The answer of an owner who meets it, where it swaps the books of some only. */
  swapped?: OwnerAnswer
  /** Books of others that somebody writes into the callback. */
  forged: Readonly<Record<string, string>> | Inapplicable
  /** The answer of an owner whose login opens no books, what is said then in both languages, and the fault that takes them away meanwhile. */
  withoutBooks: { answer: OwnerAnswer; says: readonly [en: string, fr: string]; fault?: string } | Inapplicable
  /** Fits each scope that is asked for. */
  scopes: RegExp | Inapplicable
  /** The answer of an owner who opens several books with one sign-in. */
  several: OwnerAnswer | Inapplicable
  /** The consent page in French, as far as a browser's language decides it. */
  frenchPage: RegExp | Inapplicable
  /** Parameters of an authorization request that the source refuses, beside those that all refuse. */
  invalidRequests?: readonly Readonly<Record<string, string>>[]
  /** Left out where the seed chooses the books of the simulator. */
  seeded?: Inapplicable
  /** Settings with which the source takes few calls in a window of time, where its simulator counts them. */
  callLimit?: { settings: RedirectSettings; windowMs: number }
  /** How long an access token is good for. */
  accessTokenMs: number
  /** Whether a refresh token ends as soon as it was used. */
  usedRefreshToken: 'ended' | Inapplicable
  /** What the next refresh meets when the answer of one was lost. */
  lostAnswer: 'reconnect' | 'new tokens'
  /** Faults of the simulator at a refresh, beside those that all have. */
  refreshFaults?: Readonly<Record<string, SourceError['kind']>>
  /** Left out where the simulator can hold an answer back. */
  slow?: Inapplicable
  /** What a refused app key is called; the name of the key where left out. */
  refusedKey?: RegExp
  /** Which tokens a disconnect ends at once. */
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

export interface OpenedRedirect {
  harness: ConnectorHarness<Simulator & ServedControls<object>>
  /** The owner ends the authorization at the source. */
  revoke(): void
}
