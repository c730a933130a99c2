import { randomUUID } from 'node:crypto'
import type { Page, Pull } from '../../connectors/contract/contract.ts'
import { isReadable, Status } from '../../model/statuses.ts'
import { type Connection, findConnection, lockConnection } from '../../store/connections/connections.ts'
import { hasRun } from '../../store/connections/requested-runs.ts'
import { lockRun, openRun, type RunReason, StagedDataLost, type SyncRun, saveProgress } from '../../store/connections/sync-runs.ts'
import { inTransaction } from '../../store/db/database.ts'
import { deleteRecordSets } from '../../store/records/first-records.ts'
import { inSpan } from '../../tracing/spans.ts'
import { withAnnouncedChange } from '../connection/announced-change.ts'
import { moveStatus } from '../connection/status.ts'
import type { EndedRun, Publishing } from '../context/groups.ts'
import { clearAlarm } from '../credentials/credentials-alarm.ts'
import { RunCredentials } from '../credentials/run-credentials.ts'
import { findService } from '../sources/catalogue.ts'
import { sourceOfConnection } from '../sources/source-keys.ts'
import { openPageScope } from './aliases.ts'
import type { RunContext } from './context.ts'
import { type FetchContext, fetchPage } from './fetch-page.ts'
import { PageStaging } from './page-staging.ts'
import { Pipeline } from './pipeline.ts'
import { publishRun } from './publish.ts'
import { type PreparedPage, preparePage, type RawPageKey, storePage } from './raw-page-store.ts'
import { readItems } from './read-items.ts'
import { mayBeRenumbered, reidentifyAccounts, reidentifyTransactions } from './reidentify.ts'
import { addCounts, advanceCursor, NO_COUNTS, setCounts } from './run-progress.ts'
import { assertFewSetAside } from './set-aside.ts'

/** Thrown when the connection ended, was suspended or was taken over by another worker: this worker stops silently. */
export class RunOvertaken extends Error {}

interface OpenRun extends FetchContext, Pick<SyncJob, 'onPage' | 'pagesBefore'> {
  run: SyncRun
  serviceName: string
}

interface SyncJob {
  instanceId: string
  connectionId: string
  reason: RunReason
  isAwaited: boolean
  /** When it was requested; absent for scheduled runs. */
  requestedAt?: Date | null
  /** Id that was returned to the requester, for the first run that is opened. */
  runId?: string | null
  isStopping(): boolean
  /** After each page that is stored: the pages of the run, and of the one before it in this call. */
  onPage?: ((pages: number) => void) | undefined
  /** Pages of the run before it in this call. */
  pagesBefore?: number | undefined
}

/**
 * Sync run: one pass over a connection. Fetches page by page, stores each page with the cursor past it, publishes at
 * the end. Safe to kill and repeat: it resumes after the last page stored, and when it was requested after those were
 * read, a complete pass follows. Throws `SourceError` for the source's faults, `RunOvertaken` when it may not continue.
 */
export async function runSync(deps: RunContext, job: SyncJob): Promise<'published' | 'unchanged'> {
  try {
    return await runOnce(deps, job)
  } catch (error) {
    if (!(error instanceof StagedDataLost)) throw error
    deps.log.warn({ connectionId: job.connectionId }, 'PostgreSQL crashed and lost the staged records: the run starts over')
    return await runSync(deps, job)
  }
}

async function runOnce(deps: RunContext, job: SyncJob): Promise<'published' | 'unchanged'> {
  const work = await begin(deps, job)
  const { run, connector } = work
  for (let pull = connector.pulls[run.pull]; pull; pull = connector.pulls[run.pull]) await pullPages(work, pull, job)
  if (mayBeRenumbered(work)) {
    await inTransaction(deps.database, async (db) => {
      await lockReadableConnection(work, db)
      await reidentifyTransactions(db, work)
    })
  }
  const counted = run.counts
  const facts = { 'countinghouse.connection.id': job.connectionId, 'countinghouse.connector': work.source.description.key }
  const result = await inSpan({ name: 'publish', facts }, () =>
    withAnnouncedChange(deps.database, deps, async (db, readLeaseMs) => {
      setCounts(run, counted)
      const connection = await lockReadableConnection(work, db)
      assertFewSetAside(run, connector)
      const published = await publishRun(db, {
        ...{ connection, run, connector, serviceName: work.serviceName, readLeaseMs },
        cause: run.reason === 'reconnect' ? job.reason : run.reason,
      })
      await deps.crashPoint?.('before-publish-commit')
      return published
    }),
  )
  await deps.crashPoint?.('after-publish-commit')
  reportRunEnd(deps, work.connection.category, run, result)
  // Otherwise only a refresh proves that the keys are valid again.
  if (!connector.refreshCredentials) await clearAlarm(deps.database, deps.log, work.source)
  const isOlder = job.requestedAt != null && run.startedAt < job.requestedAt
  return isOlder ? await runSync(deps, { ...job, pagesBefore: run.counts.pages }) : result
}

/** Reports an ended run to the metrics, after its commit. */
export function reportRunEnd(publishing: Publishing, category: Connection['category'], run: SyncRun, result: EndedRun['result']): void {
  if (run.endedAt) publishing.onRunEnded?.({ category, result, seconds: (run.endedAt.getTime() - run.startedAt.getTime()) / 1_000 })
}

async function begin(deps: RunContext, job: SyncJob): Promise<OpenRun> {
  const known = await findConnection(deps.database, job.instanceId, job.connectionId)
  const service = known && (await findService(deps.database, deps.sources, known.instanceId, known.serviceId))
  if (!known || !service) throw new RunOvertaken('the connection is gone')
  const connector = await service.source.load()
  const opened = await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, job.instanceId, job.connectionId)
    if (!connection || !isReadable(connection.status)) throw new RunOvertaken('the connection takes no sync')
    const { runId } = job
    const id = runId != null && !(await hasRun(db, { ...connection, id: runId })) ? runId : randomUUID()
    const run = await openRun(db, {
      instanceId: job.instanceId,
      companyId: connection.companyId,
      id,
      connectionId: job.connectionId,
      reason: connection.reidentify ? 'reconnect' : job.reason,
      isAwaited: job.isAwaited,
      requestedAt: job.requestedAt ?? null,
      counts: { ...NO_COUNTS },
    })
    if (run.id === id && connection.publishedAt === null) await deleteRecordSets(db, connection)
    // A connection that has published keeps its status while it refreshes, so that readers see no gap.
    const isFresh = connection.publishedAt === null || connection.status === Status.Authorized
    if (isFresh && connection.status !== Status.Loading) await moveStatus(db, connection, Status.Loading)
    return { connection, run }
  })
  await deps.crashPoint?.('after-run-opened')
  const source = await sourceOfConnection(deps, service.source, opened.connection)
  const credentials = await RunCredentials.open(deps, source, connector, opened.connection)
  const { onPage, pagesBefore } = job
  return { deps, source, connector, serviceName: service.name, credentials, onPage, pagesBefore, ...opened }
}

/** Page ready to be stored; without `staging` it is empty. */
interface ReadPage {
  page: Page
  pageKey: RawPageKey
  staging: PageStaging | null
  prepared: PreparedPage | null
}

/**
 * Reads one pull from the run's cursor to its end. While the database works on a page, the next one, already fetched,
 * is read: no source is called while a transaction is open.
 */
async function pullPages(work: OpenRun, pull: Pull, { isStopping }: SyncJob): Promise<void> {
  const { connection, deps, run } = work
  const cursor = run.page === 0 ? (connection.cursors[pull.name] ?? null) : run.cursor
  if (isStopping()) throw new RunOvertaken('stopping')
  const writes = new Pipeline()
  let read = await readPage(work, pull, run.page, await fetchPage(work, pull, cursor))
  try {
    while (read.page.next !== null) {
      let following: Page
      try {
        following = await fetchPage(work, pull, read.page.next)
      } catch (error) {
        await storeAndStagePage(work, pull, read)
        throw error
      }
      await deps.crashPoint?.('after-fetch-before-stage')
      const ready = read
      await writes.start(() => storeAndStagePage(work, pull, ready))
      read = await writes.beside(() => readPage(work, pull, ready.pageKey.page + 1, following))
      if (isStopping()) throw new RunOvertaken('stopping')
    }
    await deps.crashPoint?.('after-fetch-before-stage')
    await storeAndStagePage(work, pull, read)
  } finally {
    await read.staging?.close()
  }
}

/** Prepares a page as far as possible without a transaction. */
async function readPage(work: OpenRun, pull: Pull, number: number, page: Page): Promise<ReadPage> {
  const { deps, source, connector, connection, run } = work
  const { instanceId, companyId, connectionId } = run
  const pageKey: RawPageKey = { instanceId, companyId, connectionId, pull: pull.name, page: number }
  const isEmpty = Object.keys(page.answers).length === 0
  if (isEmpty) return { page, pageKey, staging: null, prepared: null }
  const prepared = await preparePage(deps, pageKey, page.answers)
  const { serviceName } = work
  const read = () => readItems(source, connector, pull, page.answers)
  const scope = await openPageScope(deps.database, connection, { serviceName, fetchedAt: prepared.fetchedAt }, read)
  const isFirst = connection.publishedAt === null
  const staging = new PageStaging({ run, source, connector, pull, answers: page.answers, rawPageId: prepared.id, scope, isFirst })
  await staging.readFirst()
  return { page, pageKey, staging, prepared }
}

/** Stores a page and the cursor past it in one transaction. */
async function storeAndStagePage(work: OpenRun, pull: Pull, read: ReadPage): Promise<void> {
  try {
    await writePage(work, pull, read)
  } finally {
    await read.staging?.close()
  }
}

async function writePage(work: OpenRun, pull: Pull, { page, pageKey, staging, prepared }: ReadPage): Promise<void> {
  const { deps, run } = work
  await prepared?.stored
  await inTransaction(deps.database, async (db) => {
    await lockReadableConnection(work, db)
    if (prepared) await storePage(db, pageKey, prepared)
    await staging?.write(db)
    const listed = staging && page.listing === 'complete' ? { pull: run.pull, page: run.page, seen: staging.seen } : null
    if (staging) addCounts(run, { pages: 1 })
    if (page.next !== null) {
      advanceCursor(run, pull.name, page)
      await saveProgress(db, run, listed)
    } else {
      await saveProgress(db, run, listed)
      // Examines everything that the listing contained.
      await reidentifyAccounts(db, work, run.pull)
      advanceCursor(run, pull.name, page)
      await saveProgress(db, run)
    }
    await deps.crashPoint?.('after-stage-before-commit')
  })
  work.onPage?.((work.pagesBefore ?? 0) + run.counts.pages)
  await deps.crashPoint?.('after-page-commit')
}

/** Locks connection and run for a write; throws when overtaken. */
async function lockReadableConnection(work: OpenRun, db: Parameters<typeof lockRun>[0]): Promise<Connection> {
  const connection = await lockConnection(db, work.run.instanceId, work.run.connectionId)
  if (!connection || !isReadable(connection.status) || !(await lockRun(db, work.run))) throw new RunOvertaken('another has taken over')
  return connection
}
