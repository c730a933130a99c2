import type { Json } from '../../model/values/json.ts'
import { parseInstant } from '../../model/values/timestamps.ts'
import { type Kit, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { readAccounts } from './read.ts'
import { askFlinks, FlinksError } from './request.ts'
import { readSecret } from './secret.ts'
import { askSlowly, openSession, type Slow } from './session.ts'
import { IneligibleAnswer } from './wire.ts'

/** Maximum response size: without transactions, up to ten thousand accounts. */
const MAX_LISTING = 64 * 1024 * 1024
/** Maximum age of a login's data, which are normally read every night. */
const STALE_MS = 3 * 86_400_000

/** Every account of the login in one page: accounts no longer listed were removed. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const { loginId } = readSecret(credentials)
  const slow = readSlow(cursor) ?? (await begin(kit, loginId))
  const body = { WithAccountIdentity: true, WithTransactions: false, WithKYC: false, WithBalance: true }
  const answer = await askSlowly(kit, loginId, slow, { path: '/GetAccountsDetail', body, maxBytes: MAX_LISTING })
  // Response in preparation: the cursor keeps the session, and the next job polls again.
  if (answer === null) return { answers: {}, next: { ...slow }, listing: 'complete' }
  return { answers: { accounts: answer.response.body }, next: null, listing: 'complete' }
}

async function begin(kit: Kit, loginId: string): Promise<Slow> {
  const { RequestId: requestId, Login: login } = await openSession(kit, loginId)
  const readAt = instantOf(login?.LastRefresh)
  if (readAt !== null && kit.now().getTime() - readAt.getTime() > STALE_MS) await refuseIneligible(kit, loginId)
  return { requestId, since: null, sessions: 1 }
}

/**
 * Throws when the login is ineligible. Flinks' stored data never show an error, even when the bank refuses the login:
 * the nightly refresh lists the logins it skips, which have to be linked again.
 * Source: https://docs.flinks.com/api/connect/endpoints/account-linking/get-nightly-refresh-status
 */
async function refuseIneligible(kit: Kit, loginId: string): Promise<void> {
  const cards = await listIneligible(kit)
  if (cards.some((card) => JSON.stringify(card).includes(loginId)))
    throw new SourceError('reconnect', 'Flinks: the login has not been read for days, and the nightly reading passes it over')
}

/** Ineligible logins; the call needs a separate key, which not every operator has. */
async function listIneligible(kit: Kit): Promise<unknown[]> {
  try {
    return (await askFlinks(kit, { path: '/GetNightlyRefreshStatus', auth: 'keys' }, IneligibleAnswer)).IneligibleCards ?? []
  } catch (error) {
    if (error instanceof FlinksError && (error.status === 401 || error.status === 403 || error.status === 404)) return []
    throw error
  }
}

/** Instant of a text: UTC without a time zone; an invalid one is ignored. */
function instantOf(text: string | null | undefined): Date | null {
  try {
    return parseInstant(text)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function readSlow(cursor: Json | null): Slow | null {
  if (!isJsonObject(cursor) || typeof cursor.requestId !== 'string' || typeof cursor.sessions !== 'number') return null
  return { requestId: cursor.requestId, since: typeof cursor.since === 'number' ? cursor.since : null, sessions: cursor.sessions }
}
