import {
  type ApiKey,
  createApiKey,
  findApiKey,
  lockApiKey,
  type NewApiKey,
  replaceApiKey,
  revokeApiKey,
} from '../../../store/access/api-keys.ts'
import { findInstanceState } from '../../../store/access/instances.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { conflict, orNotFound } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { newApiKey } from './key-text.ts'
import { hashApiKey } from './key-verifier.ts'
import type { Scope } from './scopes.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface ApiKeyRequest {
  /**
   * Id of the new key: a repeated request has the same id, and its key gets a new text, because nobody has seen the
   * first.
   */
  id: string
  name: string
  scopes: Scope[]
  /** Null if it never expires. */
  expiresInDays: number | null
}

/** New key with its text, which is shown this once and never stored. */
export interface IssuedApiKey {
  key: ApiKey
  text: string
}

export async function addApiKey(access: Access, caller: UserCaller, request: ApiKeyRequest): Promise<IssuedApiKey> {
  const { id, name, scopes, expiresInDays } = request
  const lifeMs = expiresInDays === null ? null : expiresInDays * DAY_MS
  return await inTransaction(access.database, async (db) => {
    const issued = await issue(access, db, caller, { id, applicationId: id, name: name.trim(), scopes, lifeMs })
    await audit(access, db, {
      ...entryOf(caller, id),
      action: 'api-key.created',
      after: issued.key,
      details: { scopes: scopes.join(', ') },
    })
    return issued
  })
}

/**
 * Replaces a key by a new one with the same name, scopes and lifetime. The old one stays valid for `overlapHours`;
 * with 0 it is revoked at once. Throws a 404, and a 409 for a key that has ended or has already been replaced.
 */
export async function rotateApiKey(
  access: Access,
  caller: UserCaller,
  id: string,
  { newId, overlapHours }: { newId: string; overlapHours: number },
): Promise<IssuedApiKey> {
  return await inTransaction(access.database, async (db) => {
    const now = access.now()
    const old = orNotFound(await lockApiKey(db, caller.instanceId, id), 'API key')
    const isRepeated = old.replacedBy === newId
    if (!isRepeated && stateOf(old, now) !== 'active') throw conflict('The API key has ended; create a new one.')
    if (!isRepeated && old.replacedBy !== null) throw conflict('The API key has been replaced already.')
    const { applicationId, name, scopes, createdOn, expiresOn } = old
    const lifeMs = expiresOn && expiresOn.getTime() - createdOn.getTime()
    const issued = await issue(access, db, caller, { id: newId, applicationId, name, scopes, lifeMs })
    const endsAtMs = Math.min(expiresOn?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + overlapHours * HOUR_MS)
    const after = { replacedBy: newId, expiresOn: new Date(endsAtMs) }
    await replaceApiKey(db, old, after)
    if (overlapHours === 0) await revokeApiKey(db, old.instanceId, old.id, now)
    await audit(access, db, { ...entryOf(caller, id), action: 'api-key.rotated', before: old, after, details: { overlapHours } })
    return issued
  })
}

/** Revokes a key in all processes within a second. Revoking twice changes nothing. Throws a 404. */
export async function endApiKey(access: Access, caller: UserCaller, id: string): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const before = orNotFound(await lockApiKey(db, caller.instanceId, id), 'API key')
    if (await revokeApiKey(db, caller.instanceId, id, access.now()))
      await audit(access, db, { ...entryOf(caller, id), action: 'api-key.revoked', before })
  })
}

/** Throws a 404 for an unknown key and for one of another instance. */
export async function getApiKey(access: Pick<Access, 'database'>, instanceId: string, id: string): Promise<ApiKey> {
  return orNotFound(await findApiKey(access.database, instanceId, id), 'API key')
}

export type ApiKeyState = 'active' | 'expired' | 'revoked'

export function stateOf({ revokedOn, expiresOn }: ApiKey, now: Date): ApiKeyState {
  if (revokedOn !== null) return 'revoked'
  return expiresOn !== null && expiresOn <= now ? 'expired' : 'active'
}

async function issue(
  access: Access,
  db: Db,
  caller: UserCaller,
  { lifeMs, ...wanted }: Pick<NewApiKey, 'id' | 'applicationId' | 'name' | 'scopes'> & { lifeMs: number | null },
): Promise<IssuedApiKey> {
  const instance = orNotFound(await findInstanceState(db, caller.instanceId), 'Instance')
  const { text, prefix } = newApiKey(instance.kind)
  const [tokenHash] = hashApiKey(access.hashes, text)
  if (!tokenHash) throw new Error('there is no key to hash tokens with')
  const createdOn = access.now()
  const expiresOn = lifeMs === null ? null : new Date(createdOn.getTime() + lifeMs)
  const key = { ...wanted, instanceId: caller.instanceId, prefix, createdBy: caller.userId, createdOn, expiresOn }
  return { key: await createApiKey(db, { ...key, tokenHash }), text }
}

function entryOf({ instanceId, userId }: UserCaller, id: string) {
  return { instanceId, userId, subject: `api-key/${id}` }
}
