import type { Connector } from '../../connectors/contract/contract.ts'
import type { Entity } from '../../model/catalogue.ts'
import { restingStatus, Status } from '../../model/statuses.ts'
import { type FaultMessage, faultMessage, statusMessage } from '../../model/texts/status-messages.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { writeFault } from '../../store/connections/connection-faults.ts'
import { type Connection, writeAcceptsDeletions, writeRead, writeReidentify } from '../../store/connections/connections.ts'
import { listSeen } from '../../store/connections/run-pages.ts'
import { closeRun, type RunReason, type SyncRun } from '../../store/connections/sync-runs.ts'
import { type Db, databaseTime } from '../../store/db/database.ts'
import { queueAccountMatching } from '../../store/records/account-matches.ts'
import { isAnnounced, NotAnnounced } from '../../store/records/publication-changes.ts'
import { raisePublication } from '../../store/records/publications.ts'
import { releaseQuarantine } from '../../store/records/quarantine.ts'
import { listUndeletedIds, publishDeletions, type RecordScope } from '../../store/records/records.ts'
import { noteReplayed, releaseReplayed } from '../../store/records/replay-records.ts'
import { publishStaged } from '../../store/records/staged-publishing.ts'
import { scheduleUpdate } from '../../store/schedules/refresh-schedules.ts'
import { issuedAs, raiseEvent } from '../connection/events.ts'
import { moveStatus } from '../connection/status.ts'
import { raiseAccountsChanged, raiseTransactionsChanged } from './account-events.ts'
import { queueCoverage } from './coverage.ts'
import { MissingDetector } from './missing-detector.ts'
import { addCounts } from './run-progress.ts'
import { nextRefresh } from './schedule.ts'

/** Ids compared per batch: bounds memory for any number of records. */
const ACTIVE_BATCH = 20_000

export interface PublishRequest {
  connection: Connection
  run: SyncRun
  connector: Connector
  serviceName: string
  readLeaseMs: number
  /** What made the run: of a run after a reconnect, its job. */
  cause: RunReason
}

/**
 * Publishes a finished run: new versions, tombstones, status, schedule and event in the caller's one transaction. The
 * connection and the run are locked by the caller. A run without changes writes no record and raises no event, unless
 * somebody requested it. Throws `NotAnnounced` like `raisePublication`.
 */
export async function publishRun(db: Db, request: PublishRequest): Promise<'published' | 'unchanged'> {
  const { connection, run } = request
  const scope: RecordScope = { instanceId: run.instanceId, companyId: connection.companyId, serviceId: connection.serviceId }
  // Checked early: a large run would write all its records in vain.
  if (run.counts.changed > 0 && !(await isAnnounced(db, scope, request.readLeaseMs))) throw new NotAnnounced(scope)
  const at = await databaseTime(db)
  const isFirst = connection.publishedAt === null
  if (run.reason === 'replay') await releaseReplayed(db, run)
  const changed = run.counts.changed > 0 ? await publishStaged(db, scope, { id: run.id, connectionId: connection.id }, at) : 0
  const { deleted, complete } = await publishMissing(db, request, scope, at, isFirst)
  const isNews = isFirst || changed > 0 || deleted > 0
  if (isNews) {
    await raisePublication(db, scope, { at, isFirst }, request.readLeaseMs)
    await queueCoverage(db, scope, connection.category)
    if (connection.category === 'Banking') await queueAccountMatching(db, scope)
  }
  if (run.reason !== 'replay') await writeOutcome(db, request, isNews, at)
  // No source was read: schedule, cursors, fault and status stay unchanged.
  else if (isNews) await noteReplayed(db, run.instanceId, run.connectionId, at)
  // A quarantined record may yet turn out to be a known account.
  const isSettled = !request.connector.reidentify || (complete.includes('Accounts') && run.counts.setAside === 0)
  if (connection.reidentify && isSettled) await writeReidentify(db, connection.instanceId, connection.id, false)
  if (isNews && !isFirst) {
    const cause = { id: run.id, issuedAs: issuedAs(request.cause) }
    await raiseAccountsChanged(db, connection, request.serviceName, cause, at)
    await raiseTransactionsChanged(db, connection, request.serviceName, cause, at)
  }
  const state = isNews ? 'published' : 'unchanged'
  await closeRun(db, run, { state })
  if (isNews || run.isAwaited) {
    for (const kind of ['RawData', 'NormalizedData', 'ReadyToUseData'] as const) {
      await raiseEvent(db, kind, connection, request.serviceName, run.id, { issuedAs: issuedAs(request.cause) })
    }
  }
  return state
}

/**
 * Closes records missing from complete listings. If more than half are missing, the deletions are held back as a likely
 * fault of the source, until somebody confirms them (`acceptDeletions`). On a first publication, a pull that alone
 * delivers an entity has listed all of it.
 */
async function publishMissing(
  db: Db,
  request: PublishRequest,
  scope: RecordScope,
  at: Date,
  isAllNew: boolean,
): Promise<{ deleted: number; complete: Entity[] }> {
  const { connection, run, connector } = request
  const seen = await listSeen(db, run)
  let deleted = 0
  const complete: Entity[] = []
  for (const [index, pull] of connector.pulls.entries()) {
    const pages = seen.filter((page) => page.pull === index).map((page) => page.seen)
    if (pages.length === 0) continue
    for (const entity of pull.delivers) {
      complete.push(entity)
      if (isAllNew && connector.pulls.every((other) => other === pull || !other.delivers.includes(entity))) continue
      const { active, missing } = await findMissing(db, scope, entity, connection.id, pages)
      if (missing.length === 0) continue
      if (missing.length * 2 > active && !connection.acceptsDeletions) {
        addCounts(run, { heldBack: missing.length })
        continue
      }
      await publishDeletions(db, scope, { id: run.id, connectionId: connection.id }, entity, missing, at)
      deleted += missing.length
    }
  }
  addCounts(run, { deleted })
  if (connection.acceptsDeletions && complete.length > 0) await writeAcceptsDeletions(db, connection.instanceId, connection.id, false)
  if (complete.length > 0) await releaseQuarantine(db, run, complete)
  return { deleted, complete }
}

/** Number of active records, and the ids of those that were on no page. */
async function findMissing(
  db: Db,
  scope: RecordScope,
  entity: Entity,
  connectionId: string,
  pages: Uint8Array[],
): Promise<{ active: number; missing: string[] }> {
  const seen = await MissingDetector.open(pages)
  let active = 0
  const missing: string[] = []
  if (seen.hasUnknown) return { active, missing }
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const ids = await listUndeletedIds(db, scope, entity, connectionId, after, ACTIVE_BATCH)
    active += ids.length
    missing.push(...(await seen.listMissing(ids)))
    after = ids.length < ACTIVE_BATCH ? undefined : ids.at(-1)
  }
  return { active, missing }
}

async function writeOutcome(db: Db, request: PublishRequest, isNews: boolean, at: Date): Promise<void> {
  const { connection, run } = request
  // Files are read when they arrive.
  const isOfFiles = request.connector.authorize.step === 'upload'
  await writeRead(db, connection, { cursors: { ...connection.cursors, ...run.cursors }, at, isNews })
  await writeFault(db, connection.instanceId, connection.id, heldBackFault(run))
  await scheduleUpdate(db, connection, isOfFiles ? null : nextRefresh(connection, at))
  const resting = restingStatus(connection.category)
  const { records, changed, deleted, setAside } = run.counts
  const words = `${records} records read, ${changed} changed, ${deleted} deleted, ${setAside} set aside${toReconnectMessage(run)}`
  const detail = statusMessage('counts', words, { ...run.counts })
  if (connection.status === Status.Loading) {
    await moveStatus(db, connection, Status.Loaded, statusMessage('pages', `${run.counts.pages} pages`, { pages: run.counts.pages }))
    await moveStatus(db, connection, Status.Structuring)
    await moveStatus(db, connection, Status.Structured, detail)
    if (resting === Status.Synced) {
      await moveStatus(db, connection, Status.Processing)
      await moveStatus(db, connection, Status.Processed)
      await moveStatus(db, connection, Status.Synced)
    }
  } else if (connection.status !== resting) {
    await moveStatus(db, connection, resting, detail)
  }
}

/** Status message about held-back deletions: the rest is published, and a person should look at it. */
function heldBackFault({ counts: { heldBack } }: SyncRun): FaultMessage | null {
  if (heldBack === 0) return null
  return faultMessage(
    'deletionsHeldBack',
    `${heldBack} records are missing at the source, too many at once to be believed: they are kept`,
    {
      heldBack,
    },
  )
}

function toReconnectMessage({ counts: { reidentified, unclear } }: SyncRun): string {
  const known = reidentified > 0 ? `, ${reidentified} accounts known again under other ids` : ''
  return unclear > 0 ? `${known}, ${unclear} accounts could not be told apart and were replaced` : known
}
