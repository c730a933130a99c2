import { createHash } from 'node:crypto'
import type { Outcome } from '../../jobs/worker.ts'
import { isUuid } from '../../model/values/uuid.ts'
import { findCompany } from '../../store/connections/companies.ts'
import {
  type FeedKey,
  type FileFeed,
  type FileMark,
  findFeed,
  findFeedSecret,
  findSettled,
  noteArrival,
  noteChecked,
  pruneArrivals,
} from '../../store/sources/file-feeds.ts'
import { listSettledPaths } from '../../store/sources/settled-files.ts'
import type { FileFeeds, Store, Vault } from '../context/groups.ts'
import { ScannerUnavailable } from '../malware/check-file.ts'
import type { FeedContext } from './context.ts'
import { openFolder } from './file-feed-folder.ts'
import { type FeedFile, takeFile } from './file-feed-import.ts'
import { type Inbox, type InboxFile, InboxUnreachable, listComplete } from './file-feed-inbox.ts'
import { openSecret } from './file-feed-secret.ts'
import { openSftp } from './file-feed-sftp.ts'

/** Seconds without a change after which a file is imported. */
const SETTLE_S = 10
/** Files imported or refused in one poll; the rest waits for the next one, which follows soon. */
const MAX_FILES = 200

/** Folder with the company whose statements arrive there. */
interface CompanyFolder {
  folder: string
  companyId: string
}

interface FeedPoll {
  deps: FeedContext
  feed: FileFeed
  inbox: Inbox
  settleS: number
  maxFiles: number
  isStopping(): boolean
}

interface PollRequest extends FeedKey {
  isStopping(): boolean
  settleS?: number
  maxFiles?: number
}

/**
 * Polls a feed: files that have stopped growing are imported, one transaction each, and then moved away. Safe to kill
 * and repeat. A growing file is polled again soon; an unreachable feed,
 * and one whose files could not be scanned for malware, records that and waits for its next time.
 */
export async function pollFeed(deps: FeedContext, key: PollRequest): Promise<Outcome> {
  const feed = await findFeed(deps.database, key)
  if (!feed || feed.isPaused) return { done: true }
  let inbox: Inbox | null = null
  try {
    inbox = await openInbox(deps, feed)
    const { settleS = SETTLE_S, maxFiles = MAX_FILES, isStopping } = key
    const poll = { deps, feed, inbox, settleS, maxFiles, isStopping }
    const { isWaiting, problem } = await pollFolders(poll)
    await noteChecked(deps.database, key, problem)
    if (!isWaiting) return { done: true }
    return { done: false, inMs: settleS * 1000, isFailure: false, reason: 'files are still arriving' }
  } catch (error) {
    const problem = toProblem(error)
    if (problem === null) throw error
    deps.log.warn({ feedId: feed.id, problem }, 'file feed unreachable')
    await noteChecked(deps.database, key, problem)
    return { done: true }
  } finally {
    await inbox?.close()
  }
}

/** Text about a fault that may be gone at the next poll; null for any other. */
function toProblem(error: unknown): string | null {
  if (error instanceof InboxUnreachable) return error.message
  return error instanceof ScannerUnavailable ? `the malware scanner cannot be used, and files wait: ${error.message}` : null
}

async function openInbox(deps: Store & Vault & FileFeeds, feed: FileFeed): Promise<Inbox> {
  const { source } = feed
  const { dir = null, allowPrivate = false } = deps.feeds ?? {}
  if (source.kind === 'folder') {
    if (dir === null) throw new InboxUnreachable('this deployment has no folder for feeds')
    return await openFolder(dir, feed.instanceId, source.path)
  }
  const sealed = await findFeedSecret(deps.database, feed)
  if (!sealed) throw new InboxUnreachable('the feed has no password and no key')
  return await openSftp(source, openSecret(deps, feed, sealed), allowPrivate)
}

async function pollFolders(poll: FeedPoll): Promise<{ isWaiting: boolean; problem: string | null }> {
  const { folders, problem } = await listCompanyFolders(poll)
  const present: Uint8Array[] = []
  let isWaiting = false
  let taken = 0
  for (const key of folders) {
    const files = listComplete(await poll.inbox.list(key.folder)).map((file) => ({ file, mark: markOf(poll.feed, key.folder, file) }))
    for (const { mark } of files) present.push(mark.pathHash)
    for (const { file, mark } of await withoutKnown(poll, files)) {
      const isFull = taken >= poll.maxFiles || poll.isStopping()
      if (isFull || (await processFile(poll, key, file, mark)) === 'waits') isWaiting = true
      else taken += 1
    }
  }
  await pruneArrivals(poll.deps.database, poll.feed, present)
  return { isWaiting, problem }
}

async function listCompanyFolders({ deps, feed, inbox }: FeedPoll): Promise<{ folders: CompanyFolder[]; problem: string | null }> {
  if (feed.companyId !== null) return { folders: [{ folder: '', companyId: feed.companyId }], problem: null }
  const folders: CompanyFolder[] = []
  let unknown = 0
  for (const folder of (await inbox.listFolders()).sort()) {
    const companyId = folder.toLowerCase()
    const isId = isUuid(companyId)
    if (isId && (await findCompany(deps.database, feed.instanceId, companyId))) folders.push({ folder, companyId })
    else unknown += 1
  }
  return {
    folders,
    problem: unknown === 0 ? null : `${unknown} folders are not named by the id of a company; nothing was taken from them`,
  }
}

/** Where files stay, those that earlier polls have settled are still there: thousands, which are looked up together. */
async function withoutKnown<File extends { mark: FileMark }>({ deps, feed }: FeedPoll, files: readonly File[]): Promise<readonly File[]> {
  if (!stays(feed)) return files
  const marks = files.map(({ mark }) => mark)
  const known = await listSettledPaths(deps.database, feed, marks)
  return files.filter(({ mark }) => !known.has(Buffer.from(mark.pathHash).toString('hex')))
}

function stays({ source }: FileFeed): boolean {
  return source.kind === 'sftp' && source.afterwards === 'leave'
}

async function processFile(
  poll: FeedPoll,
  { folder, companyId }: CompanyFolder,
  file: InboxFile,
  mark: FileMark,
): Promise<'waits' | 'done'> {
  const { deps, feed, inbox, settleS } = poll
  const before = await findSettled(deps.database, feed, mark)
  if (!before && (await noteArrival(deps.database, feed, mark)) < settleS) return 'waits'
  const found: FeedFile = { feed, folder, companyId, file, mark, before }
  return await takeFile(deps, inbox, found, stays(feed))
}

function markOf(feed: FileFeed, folder: string, { name, size, modifiedMs }: InboxFile): FileMark {
  const pathHash = createHash('sha256').update(`${feed.id}/${folder}/${name}`).digest()
  return { pathHash, size, modifiedMs }
}
