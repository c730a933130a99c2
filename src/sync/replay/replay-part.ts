import { randomUUID } from 'node:crypto'
import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { JobSignal } from '../../jobs/running-job.ts'
import { Status } from '../../model/statuses.ts'
import { type Connection, findConnection, lockConnection } from '../../store/connections/connections.ts'
import { abandonReplay, lockRun, lockRunningRun, openRun, type SyncRun, saveProgress } from '../../store/connections/sync-runs.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { SealError } from '../../store/keys/sealing.ts'
import { quarantineRecords } from '../../store/records/quarantine.ts'
import { countWithoutPage, listPagesToReplay } from '../../store/records/replay-records.ts'
import { finishPart, NOTHING_REPLAYED, type ReplayPart, savePart } from '../../store/records/replays.ts'
import { countStaged, stageRecords, toColumns } from '../../store/records/staged-records.ts'
import { withAnnouncedChange } from '../connection/announced-change.ts'
import { ObjectMissing } from '../pages/complete-value.ts'
import { publishRun } from '../runs/publish.ts'
import { openPage } from '../runs/raw-page-store.ts'
import { RunOvertaken } from '../runs/run.ts'
import { countWords, NO_COUNTS, setCounts } from '../runs/run-progress.ts'
import { assertFewSetAside } from '../runs/set-aside.ts'
import { findService } from '../sources/catalogue.ts'
import type { ReplayContext } from './context.ts'
import { replayPage, type StoredPage } from './replay-page.ts'
import { tallyChange } from './replay-tally.ts'

/** Thrown while a sync of the connection is running; what it publishes comes first. */
export class ConnectionBusy extends Error {}

interface OpenReplay {
  deps: ReplayContext
  part: ReplayPart
  connection: Connection
  source: Pick<Source, 'files' | 'description'>
  connector: Connector
  serviceName: string
  /** Null in a dry run, which writes nothing but its report. */
  run: SyncRun | null
}

/**
 * Replays one part: goes through the stored pages of a connection's published records, page by page after the last one
 * processed, and publishes the differences; a dry run only reports them. No source is called. Safe to kill and repeat.
 * Throws `ConnectionBusy`, `RunOvertaken` and `TooManySetAside`.
 */
export async function replayPart(deps: ReplayContext, part: ReplayPart, signal: JobSignal): Promise<void> {
  const work = await begin(deps, part)
  if (!work) return await finishPart(deps.database, part, 'skipped')
  for (const page of await listPagesToReplay(deps.database, part.instanceId, part.connectionId)) {
    if (isDone(work.part, page)) continue
    if (signal.isStopping()) throw new RunOvertaken('stopping')
    await replayStoredPage(work, page)
    signal.advance(work.part.counts.pages)
  }
  work.part.counts.withoutPage = await countWithoutPage(deps.database, part.instanceId, part.connectionId)
  await finish(work)
}

/** Null when nothing is left to replay. */
async function begin(deps: ReplayContext, part: ReplayPart): Promise<OpenReplay | null> {
  const known = await findConnection(deps.database, part.instanceId, part.connectionId)
  const service = known && (await findService(deps.database, deps.sources, known.instanceId, known.serviceId))
  if (!known || !service || known.status === Status.Disconnected || known.publishedAt === null) return null
  const connector = await service.source.load()
  const rest = { deps, source: service.source, connector, serviceName: service.name }
  if (part.isDryRun) return { ...rest, part: structuredClone(part), connection: known, run: null }
  return await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, part.instanceId, part.connectionId)
    if (!connection || connection.status === Status.Disconnected) return null
    const opened = await openReplayRun(db, part, connection)
    await savePart(db, opened.part)
    return { ...rest, ...opened, connection }
  })
}

/** Resumes the part's own run; one that was begun for another part, or ended by a sync, starts over. */
async function openReplayRun(db: Db, part: ReplayPart, connection: Connection): Promise<{ part: ReplayPart; run: SyncRun }> {
  const running = await lockRunningRun(db, connection)
  if (running && running.reason !== 'replay') throw new ConnectionBusy('the connection is being read')
  if (running && running.id !== part.runId) await abandonReplay(db, connection)
  const { instanceId, connectionId } = part
  const counts = { ...NO_COUNTS }
  const run = await openRun(db, {
    instanceId,
    companyId: connection.companyId,
    connectionId,
    id: randomUUID(),
    reason: 'replay',
    isAwaited: false,
    counts,
  })
  const fresh: ReplayPart = { ...part, runId: run.id, cursor: null, counts: { ...NOTHING_REPLAYED }, changes: [] }
  return { run, part: run.id === part.runId ? structuredClone(part) : fresh }
}

function isDone(part: ReplayPart, page: { id: string; fetchedAt: Date }): boolean {
  const at = page.fetchedAt.toISOString()
  return part.cursor !== null && (at < part.cursor.fetchedAt || (at === part.cursor.fetchedAt && page.id <= part.cursor.id))
}

/**
 * One page: read and compared, with the cursor past it in the same transaction. An unreadable page is counted and
 * changes nothing.
 */
async function replayStoredPage(work: OpenReplay, ref: { id: string; fetchedAt: Date }): Promise<void> {
  const before = structuredClone(work.part)
  const words = structuredClone(work.run?.unmapped ?? [])
  const page = await readPage(work, ref.id)
  try {
    await inTransaction(work.deps.database, async (db) => {
      await lockReplayRun(work, db)
      if (page) await comparePage(work, db, page)
      else work.part.counts.unreadablePages += 1
      await saveReplayCursor(work, db, ref)
      await work.deps.crashPoint?.('before-replayed-page-commit')
    })
  } catch (error) {
    work.part = before
    if (work.run) work.run.unmapped = words
    if (!(error instanceof SourceError)) throw error
    await inTransaction(work.deps.database, async (db) => {
      await lockReplayRun(work, db)
      work.part.counts.unreadablePages += 1
      await saveReplayCursor(work, db, ref)
    })
  }
}

async function readPage({ deps, part, connector, connection }: OpenReplay, id: string): Promise<StoredPage | null> {
  try {
    const page = await openPage(deps.database, deps, { ...connection, id })
    const pull = connector.pulls.find(({ name }) => name === page?.pull)
    return page && pull ? { id, pull, answers: page.answers, fetchedAt: page.fetchedAt } : null
  } catch (error) {
    if (!(error instanceof SealError || error instanceof ObjectMissing)) throw error
    deps.log.warn({ connectionId: part.connectionId, rawPageId: id }, error.message)
    return null
  }
}

async function comparePage(work: OpenReplay, db: Db, page: StoredPage): Promise<void> {
  const { part, run } = work
  const { counts } = part
  for await (const { records, setAside, unmapped } of replayPage(db, work, page)) {
    counts.records += records.length
    counts.setAside += setAside.length
    const different = records.filter(({ isChanged }) => isChanged)
    for (const { record, before, isMended } of different) {
      if (isMended) counts.added += 1
      else counts.changed += 1
      if (before !== null) tallyChange(part.changes, record, before, record.doc)
    }
    if (!run) continue
    countWords(run, unmapped)
    const share = { instanceId: run.instanceId, companyId: run.companyId, runId: run.id, seq: counts.pages, rawPageId: page.id }
    for (const [entity, some] of Map.groupBy(different, ({ record }) => record.entity)) {
      const mappingVersion = work.connector.entities[entity]?.map.version ?? 0
      const records = some.map(({ record }) => record)
      await stageRecords(db, { ...share, entity, mappingVersion }, toColumns(records))
    }
    await quarantineRecords(db, run, setAside)
  }
}

async function saveReplayCursor({ part, run }: OpenReplay, db: Db, ref: { id: string; fetchedAt: Date }): Promise<void> {
  part.counts.pages += 1
  part.cursor = { fetchedAt: ref.fetchedAt.toISOString(), id: ref.id }
  if (!(await savePart(db, part))) throw new RunOvertaken('the replay has ended')
  if (run) await saveProgress(db, run)
}

/** Throws when a sync, a suspension or a disconnect has overtaken the replay. */
async function lockReplayRun({ run, part }: OpenReplay, db: Db): Promise<Connection> {
  const connection = await lockConnection(db, part.instanceId, part.connectionId)
  if (!connection || connection.status === Status.Disconnected) throw new RunOvertaken('the connection has ended')
  if (run && !(await lockRun(db, run))) throw new RunOvertaken('another has taken over')
  return connection
}

async function finish(work: OpenReplay): Promise<void> {
  const { deps, part, run, connector, serviceName } = work
  await withAnnouncedChange(deps.database, deps, async (db, readLeaseMs) => {
    const connection = await lockReplayRun(work, db)
    if (run) {
      const changed = await countStaged(db, run)
      const { pages, records, setAside } = part.counts
      setCounts(run, { pages, records, setAside, changed })
      assertFewSetAside(run, connector)
      await publishRun(db, { connection, run, connector, serviceName, readLeaseMs, cause: 'replay' })
    }
    await savePart(db, part)
    await finishPart(db, part, 'done')
    await deps.crashPoint?.('before-replay-commit')
  })
}
