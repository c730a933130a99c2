import type { KeyRing, SigningKey } from '../../store/keys/keys.ts'
import type { SyncDeps } from '../../sync/context/deps.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import type { OwnerRateLimits } from '../http/request-limits.ts'

export interface Limits {
  limits: OwnerRateLimits
}

/** The keys that sign receipts. */
export interface Signing {
  signing: KeyRing<SigningKey>
}

/** What entering a visit takes that may change something. */
export interface VisitContext extends LinkContext, Limits {}

/** All that the pages need; known to what builds it and to the routes. */
export interface ConnectDeps extends SyncDeps, Signing, Limits {}
