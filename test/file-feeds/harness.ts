import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bankFiles } from '../../src/connectors/bank-files/index.ts'
import type { SshSecret } from '../../src/egress/ssh.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { createFeed, type FeedSource, findFeed, listSettled, type SettledFile } from '../../src/store/sources/file-feeds.ts'
import { pollFeed } from '../../src/sync/file-feeds/file-feed.ts'
import { sealSecret } from '../../src/sync/file-feeds/file-feed-secret.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'

export const UPLOADS = toServiceId('bank-files')

export function statement(name: 'chequing.ofx' | 'loan.bai2' | 'card.qfx'): Buffer {
  return readFileSync(new URL(`../../src/connectors/bank-files/fixtures/${name}`, import.meta.url))
}

/** Sync harness with feeds in a folder on disk. A file counts as settled at the second poll. */
export interface FeedHarness {
  syncHarness: SyncHarness
  dir: string
  addFeed(source: FeedSource, options?: { companyId?: string | null; secret?: SshSecret }): Promise<string>
  /** One poll; a file must have been unchanged for `settleS` seconds. */
  poll(feedId: string, settleS?: number): Promise<Outcome>
  files(feedId: string): Promise<SettledFile[]>
  problem(feedId: string): Promise<string | null>
  /** Path in the folder of the feeds. */
  path(...parts: string[]): string
  put(parts: string[], bytes: Uint8Array | string): Promise<void>
  list(...parts: string[]): Promise<string[]>
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export async function openFeedHarness(): Promise<FeedHarness> {
  const syncHarness = await openSyncHarness([], [bankFiles])
  const { deps, instanceId } = syncHarness
  deps.log.warn = () => undefined
  const dir = await mkdtemp(join(tmpdir(), 'countinghouse-feeds-'))
  deps.feeds = { dir, allowPrivate: true }
  const path = (...parts: string[]) => join(dir, instanceId, ...parts)
  return {
    syncHarness,
    dir,
    addFeed: async (source, { companyId = syncHarness.companyId, secret } = {}) => {
      const place = { instanceId, id: randomUUID() }
      const feed = { name: 'Caisse', companyId, source, everyMinutes: 15, isPaused: false }
      await createFeed(deps.database, place, feed, secret ? sealSecret(deps.sealer, place, secret) : null)
      return place.id
    },
    poll: (id, settleS = 0) => pollFeed(deps, { instanceId, id, isStopping: () => false, settleS }),
    files: async (id) => (await listSettled(deps.database, { instanceId, id }, { filter: [], limit: 100, offset: 0 })).files,
    problem: async (id) => (await findFeed(deps.database, { instanceId, id }))?.problem ?? null,
    path,
    put: async (parts, bytes) => {
      await mkdir(path(...parts.slice(0, -1)), { recursive: true })
      await writeFile(path(...parts), bytes)
    },
    list: async (...parts) => (await readdir(path(...parts)).catch(() => [])).sort(),
    query: async <Row extends object>(sql: string, values: unknown[] = []) =>
      (await deps.database.query(sql, [instanceId, ...values])).rows as Row[],
    close: async () => {
      await syncHarness.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Writes a file of one byte more than may be imported: refused without being read, so that many of them cost little. */
export async function writeTooLarge(path: string): Promise<void> {
  await writeFile(path, '')
  await truncate(path, 25 * 1024 * 1024 + 1)
}

export async function countImports(harness: FeedHarness): Promise<number> {
  return (await harness.query('select id from source_files where instance_id = $1')).length
}
