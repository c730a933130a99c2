import { mkdirSync, watch } from 'node:fs'
import { sep } from 'node:path'
import { isUuid } from '../../model/values/uuid.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { ensureJob } from '../../store/jobs/jobs.ts'
import { claimDueFeeds, type FeedKey, hasDueFeeds, hintFolders } from '../../store/sources/file-feeds.ts'
import type { Log } from '../context/groups.ts'
import { DONE_FOLDERS, isUnfinished } from './file-feed-inbox.ts'

const BATCH = 500
/** Debounce: writing a file causes many notifications. */
const DEBOUNCE_MS = 500

/** Queues a poll of every feed that is due; safe in any process at any time. */
export async function enqueueDueFeeds(database: Database): Promise<number> {
  if (!(await hasDueFeeds(database))) return 0
  return await inTransaction(database, async (db) => {
    const due = await claimDueFeeds(db, BATCH)
    for (const key of due) await enqueuePoll(db, key)
    return due.length
  })
}

/** At most one poll of a feed running, and one queued. */
export async function enqueuePoll(db: Parameters<typeof ensureJob>[0], { instanceId, id }: FeedKey): Promise<void> {
  await ensureJob(db, { instanceId, kind: 'fileFeed', key: `feed/${id}`, payload: { feedId: id } })
}

/** Watches folders for changes: only a hint, which brings the next poll forward. */
export function watchFeeds(database: Database, log: Log, dir: string): { close(): Promise<void> } {
  mkdirSync(dir, { recursive: true, mode: 0o750 })
  const noticed = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let hinting: Promise<unknown> = Promise.resolve()
  const sendHints = (): void => {
    timer = null
    const paths = [...noticed]
    noticed.clear()
    hinting = Promise.all(paths.map((path) => hint(database, path))).catch((error: unknown) =>
      log.warn({ err: error }, 'file watcher hint lost; the next poll finds the files'),
    )
  }
  const watcher = watch(dir, { recursive: true, persistent: false }, (_event, path) => {
    if (path === null || !isNews(path)) return
    noticed.add(path)
    timer ??= setTimeout(sendHints, DEBOUNCE_MS)
  })
  watcher.on('error', (error) => log.warn({ err: error }, 'folders of feeds cannot be watched; the schedule finds new files'))
  return {
    close: async () => {
      watcher.close()
      if (timer) clearTimeout(timer)
      await hinting
    },
  }
}

function isNews(path: string): boolean {
  const parts = path.split(sep)
  return !isUnfinished(parts.at(-1) ?? '') && !parts.some((part) => DONE_FOLDERS.includes(part))
}

async function hint(database: Database, path: string): Promise<void> {
  const [instanceId = '', ...rest] = path.split(sep)
  if (isUuid(instanceId)) await hintFolders(database, instanceId, rest.join('/'))
}
