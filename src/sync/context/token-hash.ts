import { createHmac } from 'node:crypto'
import type { Keys } from '../../store/keys/keys.ts'
import type { SyncDeps } from './deps.ts'

/** Keyed hash of this deployment, for looking up tokens and deriving secret URLs. */
export function tokenHasher(keys: Pick<Keys, 'tokenHash'>): SyncDeps['hashToken'] {
  return (token) => createHmac('sha256', keys.tokenHash).update('connect\n').update(token).digest()
}
