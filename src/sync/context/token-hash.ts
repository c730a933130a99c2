import { createHmac } from 'node:crypto'
import type { Keys } from '../../store/keys/keys.ts'
import type { TokenHash } from './groups.ts'

/** Keyed hash of this deployment, for looking up tokens and deriving secret URLs. */
export function tokenHasher(keys: Pick<Keys, 'tokenHash'>): TokenHash {
  return (token) => createHmac('sha256', keys.tokenHash).update('connect\n').update(token).digest()
}
