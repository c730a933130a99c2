import { randomBytes, randomUUID } from 'node:crypto'
import type { Json } from '../../model/values/json.ts'
import { type Authorization, createAuthorization } from '../../store/connections/authorizations.ts'
import type { Db } from '../../store/db/database.ts'
import { openJson, sealJson } from '../../store/keys/sealed-json.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import type { Vault } from '../context/groups.ts'
import type { OpenLink } from '../links/link.ts'

/** How long an owner may stay at the source, or at a choice. */
const AWAY_MINUTES = 30

/** Authorization that waits for the owner to return with its state; `memo` is stored sealed. */
export interface PendingAuthorization {
  connectionId: string
  /** From the owner's cookie: binds the return to this browser. */
  linkToken: string
  state: string
  /** Source at whose own address the owner has to return; absent or null: at the shared one. */
  callback?: string | null
  memo: Json
  /** Value that the source's webhook repeats. */
  match?: string | undefined
}

export function createState(): string {
  return randomBytes(32).toString('base64url')
}

export async function savePendingAuthorization(db: Db, vault: Vault, open: OpenLink, waiting: PendingAuthorization): Promise<void> {
  const { instanceId } = open.link
  const id = randomUUID()
  await createAuthorization(db, {
    instanceId,
    id,
    linkId: open.link.id,
    connectionId: waiting.connectionId,
    stateHash: vault.hashToken(toHashed(waiting.state, waiting.linkToken, waiting.callback ?? null)),
    memo: sealMemo(vault.sealer, { instanceId, id }, waiting.memo),
    memoMatch: waiting.match === undefined ? null : vault.hashToken(waiting.match),
    lifeMinutes: AWAY_MINUTES,
    sourceKeysId: open.service.source.keysOf?.id ?? null,
  })
}

export function sealMemo(sealer: Sealer, { instanceId, id }: Pick<Authorization, 'instanceId' | 'id'>, memo: Json): Uint8Array {
  return sealJson(sealer, memoContext(instanceId, id), memo)
}

export function openMemo(sealer: Sealer, authorization: Authorization): Json {
  const { instanceId, id, memo } = authorization
  return memo && openJson<Json>(sealer, memoContext(instanceId, id), memo)
}

/**
 * Possible hashes of a state together with the browser's cookie and the source whose address it returns to, the newest
 * key's first: the state alone is useless, and so it is at the address of another source.
 */
export function hashesOfState(hashToken: TokenHash, state: string, linkToken: string, callback: string | null = null): Uint8Array[] {
  return hashToken.all(toHashed(state, linkToken, callback))
}

function toHashed(state: string, linkToken: string, callback: string | null): string {
  return callback === null ? `${state}.${linkToken}` : `${state}.${linkToken}.${callback}`
}

function memoContext(instanceId: string, id: string) {
  return { instanceId, table: 'authorizations', rowId: id, column: 'memo' }
}
