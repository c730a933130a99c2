import { randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { auditWriter, type Change, recordBy } from '../../audit/record.ts'
import type { MailContext } from '../../mail/queue.ts'
import type { Database, Db } from '../../store/db/database.ts'
import type { Replicas } from '../../store/db/replicas/replicas.ts'
import type { Keys } from '../../store/keys/keys.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { type TokenHash, tokenHasher } from '../../store/keys/token-hash.ts'
import { AccessTokens, type TokenSettings } from './access-tokens.ts'
import { Guard } from './guard.ts'
import { KeyUses } from './keys/key-uses.ts'
import { KeyVerifier } from './keys/key-verifier.ts'
import type { HashCost, LoginLimits } from './login/login-cost.ts'
import { PasswordHashing } from './passwords/password-hashing.ts'
import type { ProviderNetwork } from './provider/network.ts'
import { Revocations } from './revocations.ts'

export interface AccessSettings extends TokenSettings {
  hashCost: HashCost
  login: LoginLimits
}

export interface AccessDeps {
  database: Database
  /** Absent: all reads go to the primary. */
  replicas?: Replicas | undefined
  keys: Pick<Keys, 'signing' | 'tokenHash'>
  sealer: Pick<Sealer, 'seal' | 'open'>
  log: FastifyBaseLogger
  settings: AccessSettings
  /** The way to the identity providers of instances. */
  providers: ProviderNetwork
  now(): Date
  /** For mails to users about their accounts; absent: no mail server is set. */
  mail?: MailContext | undefined
  /** Called after each complete login, with the user's address. */
  onSignedIn?(email: string): Promise<void>
}

/** Shared state of authentication; one per process. */
export interface Access extends AccessDeps {
  hashing: PasswordHashing
  tokens: AccessTokens
  guard: Guard
  keyUses: KeyUses
  /** Keyed hashes of secrets, by what is hashed. */
  hashes: TokenHash
}

export function createAccess(deps: AccessDeps): Access {
  const { keys, settings, now } = deps
  const tokens = new AccessTokens(keys.signing, settings, now)
  const hashes = tokenHasher(keys, '')
  const keyUses = new KeyUses(deps.database)
  const verifier = new KeyVerifier(deps.database, hashes, now)
  const guard = new Guard({ tokens, keys: verifier, keyUses, revocations: new Revocations(deps.database), now })
  const hashing = new PasswordHashing(settings.hashCost)
  return { ...deps, tokens, guard, keyUses, hashing, hashes }
}

/** Keyed hash for storing a secret; `purpose` separates hashes of different things. */
export function hashSecret(access: Pick<Access, 'hashes'>, purpose: string, secret: string): Uint8Array {
  return access.hashes(`${purpose}\0${secret}`)
}

/** Keyed hashes for finding a stored secret: one per hash key, newest first. */
export function hashesOfSecret(access: Pick<Access, 'hashes'>, purpose: string, secret: string): Uint8Array[] {
  return access.hashes.all(`${purpose}\0${secret}`)
}

/** 256 random bits as text for URLs and headers. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Records an audit entry; `db` is the transaction of the audited change. Call it last: the chain stays locked until
 * commit.
 */
export function audit(access: Pick<Access, 'keys' | 'now'>, db: Db, change: Change): Promise<void> {
  return recordBy(auditWriter(access), db, change)
}
