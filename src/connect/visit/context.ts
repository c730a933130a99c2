import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import type { OwnerRateLimits } from '../http/request-limits.ts'

export interface Limits {
  limits: OwnerRateLimits
}

/** Keys that sign receipts. */
export interface Signing {
  signing: KeyRing<SigningKey>
}

/** Dependencies for entering a visit by a form. */
export interface VisitContext extends LinkContext, Limits {}
