import { type ApiKey, findApiKeyByToken } from '../../../store/access/api-keys.ts'
import type { Database } from '../../../store/db/database.ts'
import { acrossInstances } from '../../../store/db/instance-scope.ts'
import type { TokenHash } from '../../../store/keys/token-hash.ts'
import type { KeyCaller } from '../caller.ts'
import { isWholeApiKey } from './key-text.ts'
import { isScope } from './scopes.ts'

/**
 * How long a verified key is cached. Shorter than the shortest overlap of a rotation, so that an expiry set by a
 * rotation takes effect in time, and than the time for which `ended_sessions` lists a revoked key.
 */
const REMEMBERED_MS = 600_000

/** Verified API key. */
export interface VerifiedKey {
  caller: KeyCaller
  kid: null
  /** When it must be verified again, or has expired. */
  refusedFromMs: number
}

/** Possible hashes of the token of a key, newest first: it is stored under the first and looked for under all. */
export function hashApiKey(hashes: TokenHash, text: string): Uint8Array[] {
  return hashes.all(`api key\0${text}`)
}

/** Verifier of API keys: one query for a text that can be a key, none for any other. */
export class KeyVerifier {
  readonly #database: Database
  readonly #hashes: TokenHash
  readonly #now: () => Date

  constructor(database: Database, hashes: TokenHash, now: () => Date) {
    this.#database = database
    this.#hashes = hashes
    this.#now = now
  }

  /** Null for anything but the text of a key that is neither revoked nor expired. */
  async verify(text: string): Promise<VerifiedKey | null> {
    if (!isWholeApiKey(text)) return null
    const key = await acrossInstances(() => findApiKeyByToken(this.#database, hashApiKey(this.#hashes, text)))
    const nowMs = this.#now().getTime()
    const expiresAtMs = key?.expiresOn?.getTime() ?? Number.POSITIVE_INFINITY
    if (!key || key.revokedOn !== null || expiresAtMs <= nowMs) return null
    return { caller: toCaller(key), kid: null, refusedFromMs: Math.min(expiresAtMs, nowMs + REMEMBERED_MS) }
  }
}

function toCaller({ instanceId, id, applicationId, createdBy, scopes }: ApiKey): KeyCaller {
  return Object.freeze({ instanceId, userId: null, keyId: id, applicationId, createdBy, scopes: new Set(scopes.filter(isScope)) })
}
