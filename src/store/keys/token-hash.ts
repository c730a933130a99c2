import { createHmac } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import type { HashKey } from './keys.ts'

/**
 * Keyed hash of this deployment (HMAC-SHA-256), under which tokens are stored and from which others are derived. The
 * newest key writes. A look-up has to try all keys, because after a rotation stored hashes stay as they are.
 */
export interface TokenHash {
  (token: string): Uint8Array
  /** The hash under each key: the one that writes by now, then the others, newest first. */
  all(token: string): Uint8Array[]
}

/** `purpose` separates the hashes of different things. */
export function tokenHasher({ tokenHash }: { tokenHash: KeyRing<HashKey> }, purpose = 'connect\n'): TokenHash {
  const hash = ({ bytes }: HashKey, token: string) => createHmac('sha256', bytes).update(purpose).update(token).digest()
  return Object.assign((token: string) => hash(tokenHash.newest, token), {
    all: (token: string) => {
      const { newest, all } = tokenHash
      return [newest, ...all.filter((key) => key !== newest).reverse()].map((key) => hash(key, token))
    },
  })
}

/**
 * Token derived from `text`, 256 bits: the same for each call. Derived before a rotation of the key it stays the same as
 * long as `isStored` finds it; otherwise the newest key derives it.
 */
export async function deriveToken(hashToken: TokenHash, text: string, isStored: (token: string) => Promise<boolean>): Promise<string> {
  const [writing = '', ...others] = deriveTokens(hashToken, text)
  for (const token of others) if (await isStored(token)) return token
  return writing
}

/** The derived token under each key, in the order of `TokenHash.all`: for comparing. */
export function deriveTokens(hashToken: TokenHash, text: string): string[] {
  return hashToken.all(text).map((hash) => Buffer.from(hash).toString('base64url'))
}
