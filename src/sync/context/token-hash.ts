import { createHmac } from 'node:crypto'
import type { Keys } from '../../store/keys/keys.ts'
import type { SyncDeps } from './deps.ts'

/** The keyed hash of this deployment, by which tokens are looked up and secret addresses are made. */
export function tokenHasher(keys: Pick<Keys, 'tokenHash'>): SyncDeps['hashToken'] {
  return (token) => createHmac('sha256', keys.tokenHash).update('connect\n').update(token).digest()
}
