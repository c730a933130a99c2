import { recordChange } from '../../audit/record.ts'
import type { Grant } from '../../connectors/contract/contract.ts'
import type { Json } from '../../model/values/json.ts'
import { consumeAuthorization, findAuthorization } from '../../store/connections/authorizations.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'
import { deriveTokens, type TokenHash } from '../../store/keys/token-hash.ts'
import type { Catalogue, Vault } from '../context/groups.ts'
import type { OpenLink } from '../links/link.ts'
import type { GrantContext } from './context.ts'
import { acceptGrants, type Linked } from './grant.ts'
import { hashesOfState, openMemo, savePendingAuthorization } from './pending-authorization.ts'
import { resumeAuthorization } from './resume-authorization.ts'

/**
 * Choice of books: one login opened several, and the source leaves the choice to us; the owner picks one by `state`.
 * Several banks of an aggregator need no choice: each becomes a connection.
 */
export class BooksChoice {
  readonly state: string

  constructor(state: string) {
    this.state = state
  }
}

/**
 * Grants that can be accepted without a choice: all of them, or the books connected before; null when the owner has to
 * pick.
 */
export function selectKnownGrants(grants: Grant[], active: Connection | null): Grant[] | null {
  if (grants.length < 2 || grants.some((grant) => grant.institution)) return grants
  const known = grants.find((grant) => grant.entity.id === active?.entityId)
  if (known) return [known]
  // Other books than before: the first one suffices for the error page.
  return active ? grants.slice(0, 1) : null
}

/** Stores the grants sealed until the owner has picked. */
export async function storePendingGrants(
  db: Db,
  vault: Vault,
  open: OpenLink,
  parked: { connectionId: string; grants: Grant[]; linkToken: string },
): Promise<BooksChoice> {
  const [state = '', ...older] = choiceStatesOf(vault.hashToken, open)
  // A repeated sign-in replaces the earlier choice.
  for (const one of [state, ...older]) await consumeAuthorization(db, hashesOfState(vault.hashToken, one, parked.linkToken))
  const memo = toMemo(parked.grants)
  await savePendingAuthorization(db, vault, open, { connectionId: parked.connectionId, linkToken: parked.linkToken, state, memo })
  const { instanceId } = open.link
  await recordChange(db, { instanceId, action: 'authorization.returned', subject: `connection/${parked.connectionId}` })
  return new BooksChoice(state)
}

/** The pending choice for the owner of this link, e.g. after the tab was closed; null when there is none. */
export async function findPendingChoice(db: Db, hashToken: TokenHash, open: OpenLink, linkToken: string): Promise<BooksChoice | null> {
  for (const state of choiceStatesOf(hashToken, open))
    if (await findAuthorization(db, hashesOfState(hashToken, state, linkToken))) return new BooksChoice(state)
  return null
}

/** One pending choice per link, under a state derived from the link; by the newest hash key first. */
function choiceStatesOf(hashToken: TokenHash, open: OpenLink): string[] {
  return deriveTokens(hashToken, `books-choice/${open.link.id}`)
}

/** The books to pick from; null when the choice was made, has expired or belongs to another browser. */
export async function listBooks(
  db: Db,
  vault: Vault,
  request: { state: string; linkToken: string },
): Promise<{ id: string; name: string }[] | null> {
  const authorization = await findAuthorization(db, hashesOfState(vault.hashToken, request.state, request.linkToken))
  return authorization && readGrants(openMemo(vault.sealer, authorization)).map((grant) => grant.entity)
}

/** Connects the picked books. Null when there is no pending choice (any more); of two clicks one connects. */
export async function pickBooks(
  deps: GrantContext & Catalogue,
  request: { state: string; linkToken: string; entityId: string },
): Promise<Linked[] | null> {
  const books = await listBooks(deps.database, deps, request)
  if (!books?.some((entity) => entity.id === request.entityId)) return null
  const authorization = await consumeAuthorization(deps.database, hashesOfState(deps.hashToken, request.state, request.linkToken))
  if (!authorization || authorization.expired) return null
  const open = await resumeAuthorization(deps, authorization)
  if (!open) return null
  const chosen = readGrants(openMemo(deps.sealer, authorization)).filter((grant) => grant.entity.id === request.entityId)
  return await acceptGrants(deps, open, authorization.connectionId, chosen)
}

/** Serializes grants for storage in the memo. */
export function toMemo(grants: Grant[]): Json {
  return JSON.parse(JSON.stringify(grants)) as Json
}

/** Parses a memo written by `toMemo`; anything else yields none. NOTE trusted: only this service can seal one. */
export function readGrants(memo: Json): Grant[] {
  return Array.isArray(memo) ? (memo as unknown as Grant[]) : []
}
