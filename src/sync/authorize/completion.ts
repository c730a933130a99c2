import { InputRefused } from '../../connectors/contract/authorization.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import { backoffMs, MAX_ATTEMPTS, type Outcome } from '../../jobs/worker.ts'
import {
  type Claimed,
  claimAuthorization,
  releaseAuthorization,
  removeAuthorization,
  saveGranted,
} from '../../store/connections/authorizations.ts'
import { writeTrouble } from '../../store/connections/connection-faults.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import type { Logging, Store, Vault } from '../context/groups.ts'
import { alarmWaitMs, raiseClientAlarm } from '../credentials/credentials-alarm.ts'
import { LinkAlreadyUsed } from '../links/errors.ts'
import type { OpenLink } from '../links/link.ts'
import { faultOf } from '../runs/failure.ts'
import { Declined, recordAuthorizationFailure } from './authorization-failure.ts'
import { acceptSelectedGrants, askForGrants } from './authorize.ts'
import { readGrants, toMemo } from './books-choice.ts'
import { ConsentTakenBack } from './consent.ts'
import type { AuthorizationContext } from './context.ts'
import { EntityMismatch, type Linked } from './grant.ts'
import { openMemo, sealMemo } from './pending-authorization.ts'
import { resumeAuthorization } from './resume-authorization.ts'

/** Time for which the job locks the browser out; after it a killed job may claim again. */
const CLAIM_SECONDS = 120

/**
 * Completion job: a webhook reported that the owner finished; `match` is hashed. Done at once when the browser was
 * faster. The grant is stored before it is used, and during an outage of the source it is requested again until the
 * authorization expires: neither an outage nor a killed process loses it.
 */
export async function handleCompletionJob(
  deps: AuthorizationContext,
  { match, attempt }: { match: Uint8Array; attempt: number },
): Promise<Outcome> {
  const claimed = await claimAuthorization(deps.database, match, CLAIM_SECONDS)
  if (!claimed) return { done: true }
  return await withinInstance(claimed.instanceId, () => completeClaimed(deps, claimed, attempt))
}

async function completeClaimed(deps: AuthorizationContext, claimed: Claimed, attempt: number): Promise<Outcome> {
  let open: OpenLink | null = null
  try {
    open = await resumeAuthorization(deps, claimed)
    if (!open) return { done: true }
    const linked = await complete(deps, open, claimed)
    if (linked === null) {
      await releaseAuthorization(deps.database, claimed)
      deps.log.warn(
        { connectionId: claimed.connectionId },
        'an authorization by webhook needs a choice of books: the owner has to come back',
      )
      return { done: true }
    }
    await removeAuthorization(deps.database, claimed)
    deps.log.info({ connectionIds: linked.map(({ connectionId }) => connectionId) }, 'authorization completed by webhook')
    return { done: true }
  } catch (error) {
    const again = open && (await waitForSource(deps, open, claimed, { error, attempt }))
    if (again) return again
    if (!isFinal(error)) throw error
    deps.log.warn({ err: error, connectionId: claimed.connectionId }, 'an authorization could not be completed by webhook')
    await removeAuthorization(deps.database, claimed)
    await recordAuthorizationFailure(deps.database, deps.sources, claimed, error)
    return { done: true }
  }
}

async function complete(deps: AuthorizationContext, open: OpenLink, claimed: Claimed): Promise<Linked[] | null> {
  const { connectionId } = claimed
  if (claimed.isGranted) return await acceptSelectedGrants(deps, open, connectionId, readGrants(openMemo(deps.sealer, claimed)))
  const grants = await askForGrants(deps, open, claimed, { query: {}, callback: null })
  await saveGranted(deps.database, claimed, sealMemo(deps.sealer, claimed, toMemo(grants)))
  return await acceptSelectedGrants(deps, open, connectionId, grants)
}

/** Outage, rate limit or rejected operator keys: all temporary. Meanwhile the browser may be faster. */
async function waitForSource(
  deps: Store & Vault & Logging,
  open: OpenLink,
  claimed: Claimed,
  { error, attempt }: { error: unknown; attempt: number },
): Promise<Outcome | null> {
  if (!(error instanceof SourceError)) return null
  if (error.isClientRefused) await raiseClientAlarm(deps, open.service.source, error)
  else if (error.kind !== 'unavailable' && error.kind !== 'rateLimited') return null
  await releaseAuthorization(deps.database, claimed)
  const inMs = error.isClientRefused ? alarmWaitMs(error) : Math.max(1_000, error.retryAfterMs ?? backoffMs(attempt))
  await writeTrouble(deps.database, claimed.instanceId, claimed.connectionId, faultOf(error), inMs)
  // Counted as a failure so that the delays grow, but never as the last attempt.
  return { done: false, inMs, isFailure: error.kind === 'unavailable' && attempt < MAX_ATTEMPTS - 1, reason: error.message }
}

/** Errors for which a retry is useless. All others are our own faults, and the job is retried as usual. */
function isFinal(error: unknown): boolean {
  const finals = [SourceError, Declined, ConsentTakenBack, EntityMismatch, LinkAlreadyUsed, InputRefused]
  return finals.some((kind) => error instanceof kind)
}
