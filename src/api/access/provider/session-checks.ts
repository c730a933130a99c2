import { setTimeout as delay } from 'node:timers/promises'
import { findIdentityProvider, type IdentityProvider } from '../../../store/access/identity-providers.ts'
import { type FoundProviderSession, findProviderSession, leaseCheck, noteCheck } from '../../../store/access/provider-sessions.ts'
import { endSession } from '../../../store/access/sessions.ts'
import { findUser } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { SealError } from '../../../store/keys/sealing.ts'
import { unavailable } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import { type Person, toPerson } from './claims.ts'
import { readClaims } from './exchange.ts'
import { applyRole } from './members.ts'
import { isRefusal, type OpenProvider, openProvider, toFault } from './provider-client.ts'
import { roleOfPerson } from './roles.ts'
import { openTokens, type SessionTokens, sealTokens } from './session-tokens.ts'

/** After this time without a check no access token of the session is valid. */
const CHECKED_FOR_MS = 300_000
/** Checked again after this time: the portal renews a token a minute before its end. */
const DUE_AFTER_MS = 240_000
/** Grace period of a session whose provider cannot be reached. */
const GRACE_MS = 1_800_000
const RETRY_MS = 60_000
const LEASE_MS = 30_000
const POLL_MS = 100
const CHANGED = 'provider changed'

/** End of an access token that is issued now, for a session that was last checked at `checkedAt`. */
export function endOfToken(now: Date, checkedAt: Date | null): Date {
  const nowMs = now.getTime()
  const checkedMs = checkedAt?.getTime() ?? nowMs
  const isChecked = nowMs < checkedMs + CHECKED_FOR_MS
  // While the provider cannot be asked.
  return new Date(isChecked ? checkedMs + CHECKED_FOR_MS : Math.min(nowMs + CHECKED_FOR_MS, checkedMs + GRACE_MS))
}

/**
 * Checks at the provider, by the refresh token, whether its session continues, unless it was checked in the last four
 * minutes. One process checks; others wait for the result. Ends our session if the provider has ended its own, reports
 * another identity, or has been unreachable for longer than the grace period; also a session without a refresh token if
 * the instance now has another provider, or none. Roles follow the groups. Throws a 503 if another process takes too
 * long.
 */
export async function checkAtProvider(access: Access, found: FoundProviderSession): Promise<void> {
  if (found.checkedAt === null) return await checkSettings(access, found)
  let session: FoundProviderSession | null = found
  for (let waitedMs = 0; session && isDue(session, access.now()); waitedMs += POLL_MS) {
    const at = access.now()
    const isLeased = await leaseCheck(access.database, session, { at, until: new Date(at.getTime() + LEASE_MS) })
    if (isLeased) return await checkLeased(access, session, at)
    if (waitedMs >= LEASE_MS) throw unavailable(1)
    await delay(POLL_MS)
    session = await findProviderSession(access.database, session)
  }
}

function isDue({ checkedAt, retryAt }: FoundProviderSession, now: Date): boolean {
  if (checkedAt === null) return false
  return now.getTime() >= checkedAt.getTime() + DUE_AFTER_MS && (retryAt === null || now >= retryAt)
}

/** For a session that cannot be checked there: its provider has to be that of the instance still. */
async function checkSettings(access: Access, session: FoundProviderSession): Promise<void> {
  const provider = await findIdentityProvider(access.database, session.instanceId)
  if (provider?.issuer !== session.issuer) await inTransaction(access.database, (db) => end(access, db, session, CHANGED))
}

/** A check that fails by an error of ours ends its lease, so that the next request need not wait for it. */
async function checkLeased(access: Access, session: FoundProviderSession, at: Date): Promise<void> {
  try {
    await check(access, session)
  } catch (error) {
    await noteCheck(access.database, session, { retryAt: at })
    throw error
  }
}

type Outcome = { goesOn: true; tokens: SessionTokens; person: Person | null } | { goesOn: false; reason: string } | { goesOn: null }

async function check(access: Access, session: FoundProviderSession): Promise<void> {
  const provider = await findIdentityProvider(access.database, session.instanceId)
  const outcome: Outcome = provider?.issuer === session.issuer ? await ask(access, provider, session) : { goesOn: false, reason: CHANGED }
  const now = access.now()
  if (outcome.goesOn === true && provider) {
    const { person, tokens } = outcome
    // In its own transaction: the old refresh token is spent, so its successor must be stored whatever happens to the
    // role.
    await noteCheck(access.database, session, { checkedAt: now, sealedTokens: sealTokens(access, session, tokens) })
    if (person) await inTransaction(access.database, (db) => followGroups(access, db, { provider, session, person }))
    return
  }
  await inTransaction(access.database, async (db) => {
    if (outcome.goesOn === false) return await end(access, db, session, outcome.reason)
    const isOver = session.checkedAt !== null && now.getTime() >= session.checkedAt.getTime() + GRACE_MS
    if (isOver) return await end(access, db, session, 'provider unavailable')
    await noteCheck(db, session, { retryAt: new Date(now.getTime() + RETRY_MS) })
  })
}

/** Uses the refresh token. A failure for which nobody at the provider has decided anything is no end. */
async function ask(access: Access, provider: IdentityProvider, session: FoundProviderSession): Promise<Outcome> {
  const { refreshToken, idToken } = openTokens(access, session, session.sealedTokens)
  try {
    const open = await openProvider(access, provider)
    const tokens = await open.library.refreshTokenGrant(open.config, refreshToken ?? '')
    const claims = tokens.claims()
    if (claims && claims.sub !== session.subject) return { goesOn: false, reason: 'another person' }
    const kept = { refreshToken: tokens.refresh_token ?? refreshToken, idToken: tokens.id_token ?? idToken }
    return { goesOn: true, tokens: kept, person: await describe(access, open, { provider, session, tokens }) }
  } catch (error) {
    if (error instanceof SealError) throw error
    if (isRefusal(error)) return { goesOn: false, reason: 'ended at the provider' }
    report(access, session, error)
    return { goesOn: null }
  }
}

/** Null if the result is unknown: the refresh token has been spent, and its successor must be stored anyway. */
async function describe(
  access: Access,
  open: OpenProvider,
  about: { provider: IdentityProvider; session: FoundProviderSession; tokens: Parameters<typeof readClaims>[2] },
): Promise<Person | null> {
  const { provider, session, tokens } = about
  if (provider.groupsClaim === null) return null
  try {
    return toPerson(await readClaims(open, provider, tokens, session.subject), provider)
  } catch (error) {
    report(access, session, error)
    return null
  }
}

function report({ log }: Access, { instanceId, sessionId }: FoundProviderSession, error: unknown): void {
  const { code, message } = toFault(error)
  log.warn({ instanceId, sessionId, code, reason: message }, 'a session could not be checked at its provider')
}

async function followGroups(
  access: Access,
  db: Db,
  { provider, session, person }: { provider: IdentityProvider; session: FoundProviderSession; person: Person },
): Promise<void> {
  // A refresh may tell nothing about groups.
  if (person.groups === null) return
  const user = await findUser(db, session.instanceId, session.userId)
  const role = user && (await roleOfPerson(db, provider, person, user.role))
  if (user && role) await applyRole(access, db, user, role, session.sessionId)
  else await end(access, db, session, 'noRole')
}

async function end(access: Access, db: Db, session: FoundProviderSession, reason: string): Promise<void> {
  await endSession(db, session.instanceId, session.sessionId, reason, access.now())
  const entry = { instanceId: session.instanceId, userId: session.userId, subject: `session/${session.sessionId}` }
  await audit(access, db, { ...entry, action: 'session.ended-by-provider', details: { reason } })
}
