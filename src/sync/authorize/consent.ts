import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import type { Sources } from '../../connectors/sources.ts'
import { isLegalTransition, Status } from '../../model/statuses.ts'
import { faultMessage } from '../../model/texts/status-messages.ts'
import type { Locale } from '../../model/values/text.ts'
import { writeFault } from '../../store/connections/connection-faults.ts'
import { type Connection, lockConnection, writeSuspension } from '../../store/connections/connections.ts'
import {
  attachConsent,
  type Consent,
  type ConsentTexts,
  endConsent,
  endConsentsOfConnection,
  endUnusedConsents,
  findUnusedConsent,
  hasDeclined,
  hasOnlyEndedConsents,
  listConsentsExpiringBefore,
  recordConsent,
  repeatConsent,
} from '../../store/connections/consents.ts'
import { abandonRuns } from '../../store/connections/sync-runs.ts'
import { type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { scheduleUpdate } from '../../store/schedules/refresh-schedules.ts'
import { raiseFault } from '../connection/events.ts'
import { moveStatus } from '../connection/status.ts'
import type { Catalogue, Clock, CrashPoints, Store } from '../context/groups.ts'
import type { OpenLink } from '../links/link.ts'
import { nextRefresh } from '../runs/schedule.ts'

const DAY_MS = 86_400_000
/** After the end of the link an owner may still be at the source for half an hour. */
const LATE_GRANT_MS = 3_600_000
const BATCH = 200

/** Thrown when the owner withdrew the consent before anything was connected; nothing was stored. */
export class ConsentTakenBack extends Error {}

/** Consent of the owner, as it was shown. */
export interface GivenConsent {
  texts: ConsentTexts
  /** SHA-256 of the texts. */
  textHash: Uint8Array
  /** Language in which the owner read it. */
  language: Locale
  /** IANA time zone of the calendar days in the texts. */
  timeZone: string
  givenAt: Date
}

/** Expiry of a consent given now. */
export function expiryOf(open: OpenLink, givenAt: Date): Date {
  return new Date(givenAt.getTime() + open.purpose.durationDays * DAY_MS)
}

/**
 * Records a consent in the ledger. Agreeing twice to the same text with one link is one consent; to another text, the
 * newer one counts.
 */
export async function recordAgreedConsent(db: Db, open: OpenLink, given: GivenConsent): Promise<void> {
  const { link } = open
  const before = await findUnusedConsent(db, link.instanceId, link.id)
  if (before?.textHash === Buffer.from(given.textHash).toString('hex') && before.language === given.language) return
  if (before) await endConsent(db, link.instanceId, before.id, { endedAt: given.givenAt, how: 'replaced' })
  await record(db, open, given)
}

/** Audit entry of a beginning: that consent was given, or that a step at the source began. */
export async function recordBeginning(db: Db, open: OpenLink, connectionId: string, given: GivenConsent | undefined): Promise<void> {
  const { instanceId, id: linkId } = open.link
  const change = { instanceId, subject: `connection/${connectionId}`, details: { linkId } }
  if (!given) return await recordChange(db, { ...change, action: 'authorization.started' })
  const after = { purposeKey: open.purpose.key, language: given.language, expiresAt: expiryOf(open, given.givenAt) }
  await recordChange(db, { ...change, action: 'consent.given', after })
}

/** Records a declined text: a row that has ended. Declining the same text twice with one link is one row. */
export async function recordDeclinedConsent(db: Db, open: OpenLink, read: GivenConsent): Promise<void> {
  const { instanceId, id: linkId } = open.link
  if (await hasDeclined(db, instanceId, linkId, read.textHash)) return
  await endConsent(db, instanceId, await record(db, open, read), { endedAt: read.givenAt, how: 'declined' })
}

async function record(db: Db, open: OpenLink, given: GivenConsent): Promise<string> {
  const { link, purpose } = open
  const id = randomUUID()
  await recordConsent(db, {
    instanceId: link.instanceId,
    id,
    companyId: link.companyId,
    serviceId: link.serviceId,
    linkId: link.id,
    purposeKey: purpose.key,
    purposeVersion: purpose.version,
    texts: given.texts,
    textHash: given.textHash,
    language: given.language,
    timeZone: given.timeZone,
    durationDays: purpose.durationDays,
    givenAt: given.givenAt,
    expiresAt: expiryOf(open, given.givenAt),
  })
  return id
}

/**
 * Records in the ledger which connections resulted from a consent; earlier consents of theirs are replaced. Throws
 * `ConsentTakenBack`.
 */
export async function bindConsentToConnections(
  db: Db,
  link: { instanceId: string; id: string },
  connectionIds: readonly string[],
  now: Date,
): Promise<void> {
  const consent = await findUnusedConsent(db, link.instanceId, link.id)
  if (!consent) {
    if (await hasOnlyEndedConsents(db, link.instanceId, link.id)) throw new ConsentTakenBack('the owner took the permission back')
    return
  }
  const [first, ...others] = new Set(connectionIds)
  for (const id of first === undefined ? [] : [first, ...others]) {
    await endConsentsOfConnection(db, link.instanceId, id, { endedAt: now, how: 'replaced' })
  }
  if (first !== undefined) await attachConsent(db, link.instanceId, consent.id, first)
  for (const connectionId of others) await repeatConsent(db, link.instanceId, consent.id, { id: randomUUID(), connectionId })
}

/**
 * Expires consents: from the commit on their connections are not read until the owner agrees again. Safe in any process
 * at any time, and to be killed; returns their number.
 */
export async function endExpiredConsents(deps: Store & Catalogue & Clock & CrashPoints): Promise<number> {
  const now = deps.now()
  await endUnusedConsents(deps.database, now, new Date(now.getTime() - LATE_GRANT_MS))
  let ended = 0
  for (const consent of await listConsentsExpiringBefore(deps.database, now, BATCH)) {
    if (await inTransaction(deps.database, (db) => expire(db, deps, consent))) ended += 1
  }
  return ended
}

/** False when another process was faster, or the connection cannot change now: the next run retries it. */
async function expire(db: Db, deps: Catalogue & CrashPoints, consent: Consent): Promise<boolean> {
  const { instanceId, connectionId } = consent
  const connection = connectionId === null ? null : await lockConnection(db, instanceId, connectionId)
  if (connection && !isStoppable(connection)) return false
  if (!(await endConsent(db, instanceId, consent.id, { endedAt: consent.expiresAt, how: 'expired' }))) return false
  if (connection && connection.status !== Status.Disconnected) await stopReading(db, deps.sources, connection, consent)
  await recordChange(db, { instanceId, action: 'consent.expired', subject: `consent/${consent.id}` })
  await deps.crashPoint?.('before-expiry-commit')
  return true
}

function isStoppable({ status }: Connection): boolean {
  const atRest: readonly number[] = [Status.Deauthorized, Status.Suspended, Status.Disconnected]
  return atRest.includes(status) || isLegalTransition(status, Status.Deauthorized)
}

async function stopReading(db: Db, sources: Sources, connection: Connection, consent: Consent): Promise<void> {
  const { instanceId, id } = connection
  await abandonRuns(db, connection)
  const day = consent.expiresAt.toISOString().slice(0, 10)
  const ranOut = faultMessage('consentExpired', `the owner’s consent ran out on ${day}`, { day })
  // A suspended connection stays suspended; when resumed it needs its owner.
  if (connection.status === Status.Suspended) await writeSuspension(db, instanceId, id, Status.Deauthorized)
  else if (connection.status !== Status.Deauthorized)
    await moveStatus(db, connection, Status.Deauthorized, { ...ranOut, text: 'consent expired' })
  await writeFault(db, instanceId, id, ranOut)
  await scheduleUpdate(db, connection, nextRefresh(connection, await databaseTime(db)))
  const why = { status: Status.Deauthorized, fault: ranOut.code, issuedAs: 'Scheduled' } as const
  await raiseFault(db, sources, connection, `consent/${consent.id}`, why)
}
