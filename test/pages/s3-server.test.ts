import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSealedValues } from '../../src/backup/verify/open-sealed.ts'
import { checkRawPages } from '../../src/cli/doctor/raw-page-checks.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { addKey, openKeys } from '../../src/store/keys/keys.ts'
import { reEncryptAll } from '../../src/store/keys/re-encrypt.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import type { PageObjects } from '../../src/sync/context/groups.ts'
import { exportInstance } from '../../src/sync/instances/export.ts'
import { pageMover } from '../../src/sync/pages/move-pages.ts'
import { createPageObjects } from '../../src/sync/pages/page-objects.ts'
import { removeUnclaimedObjects } from '../../src/sync/pages/remove-objects.ts'
import { isS3Missing, S3_PROGRAM, serveS3 } from '../harness/app/s3-server.ts'
import { SILENT } from '../harness/app/sync-deps.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { replay } from '../replay/replays.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { manyAccounts } from './many-accounts.ts'

const PROCESS = join(import.meta.dirname, 'page-process.ts')
const isSkipped = isS3Missing('raw pages are not stored in')

describe.skipIf(isSkipped)(`raw pages in S3${isSkipped ? ` (SKIPPED: no ${S3_PROGRAM})` : ''}`, () => {
  const egress = createEgress({ allowPrivate: true })
  const keysFolder = folderForTests()
  const server = openForTests(serveS3)
  let harness: SyncHarness
  let pageObjects: PageObjects
  let id = ''

  beforeAll(async () => {
    await fetch(`${server.address}/pages`, { method: 'PUT' })
    const bucket = {
      endpoint: server.address,
      region: 'us-east-1',
      bucket: 'pages',
      prefix: 'ours/',
      accessKeyId: 'AK',
      secretAccessKey: 'sk',
    }
    pageObjects = createPageObjects(egress, { ...bucket, isDestination: true })
    const books = manyAccounts()
    harness = await openSyncHarness([books], [], await openKeys(keysFolder.path))
    Object.assign(harness.deps, { readLeaseMs: 0, log: SILENT, pageObjects })
    id = await harness.connect(books)
  }, 120_000)
  afterAll(async () => {
    await egress.close()
    await harness?.close()
  })

  /** Runs a sync or a move in a process of its own; returns the signal that killed it. */
  async function run(work: 'sync' | 'move', point: string): Promise<string | null> {
    const given = [harness.url, keysFolder.path, server.address, harness.instanceId, id, point, work]
    const child = spawn(process.execPath, [PROCESS, ...given], { stdio: ['ignore', 'ignore', 'inherit'] })
    await once(child, 'close')
    return child.signalCode
  }

  const objects = async () => (await (await fetch(`${server.address}/pages?list-type=2`)).text()).match(/<Key>[^<]*<\/Key>/g)?.length ?? 0
  const pages = async () => {
    const { rows } = await harness.deps.database.query<{ all: number; stored: number }>(
      'select count(*)::int as all, count(object_id)::int as stored from raw_pages',
    )
    return rows[0]
  }
  async function tidyLater(): Promise<void> {
    await harness.deps.database.query(`update unclaimed_objects set due_at = due_at - interval '2 hours'`)
    await removeUnclaimedObjects({ ...harness.deps, pageObjects }, () => false)
  }
  const isWhole = async () => {
    const { counts } = await replay(harness, id, { isDryRun: true })
    return counts.records === 25 && counts.changed === 0 && counts.unreadablePages === 0
  }

  it('survive processes that are killed while they write them: no page is lost, and no object stays', { timeout: 120_000 }, async () => {
    expect(await run('sync', 'after-stage-before-commit')).toBe('SIGKILL')
    expect([await pages(), await objects()]).toEqual([{ all: 0, stored: 0 }, expect.any(Number)])
    expect(await objects()).toBeGreaterThan(0)
    expect(await run('sync', '')).toBe(null)
    await tidyLater()
    expect([await pages(), await objects(), await isWhole()]).toEqual([{ all: 3, stored: 3 }, 3, true])
  })

  it('survive processes that are killed while they move them', { timeout: 120_000 }, async () => {
    await pageMover({ ...harness.deps, pageObjects: { ...pageObjects, isDestination: false } }, () => false)()
    await tidyLater()
    expect([await pages(), await objects()]).toEqual([{ all: 3, stored: 0 }, 0])
    expect(await run('move', 'after-object-before-page')).toBe('SIGKILL')
    expect([(await pages())?.stored, await isWhole()]).toEqual([0, true])
    expect(await objects()).toBeGreaterThan(0)
    expect(await run('move', '')).toBe(null)
    await tidyLater()
    expect([await pages(), await objects(), await isWhole()]).toEqual([{ all: 3, stored: 3 }, 3, true])
  })

  it('are opened by verify, and follow a new sealing key without a request to the storage', async () => {
    const { database } = harness.deps
    const opened = async () =>
      (await openSealedValues({ ...harness.deps, database }, new AbortController().signal)).find(({ table }) => table === 'raw_pages')
    expect(await opened()).toMatchObject({ opened: 3, unreadable: 0 })
    await addKey(keysFolder.path, 'sealing')
    const keys = await openKeys(keysFolder.path)
    const asked = async () => await (await fetch(`${server.address}/pages?list-type=2`)).text()
    const before = await asked()
    expect(await reEncryptAll(database, createSealer(keys))).toMatchObject({ reEncrypted: expect.any(Number), unreadable: 0 })
    const { newest } = keys.sealing
    const find = (keyId: string) => (keyId === newest.id ? newest : undefined)
    harness.deps.sealer = createSealer({ sealing: { ...keys.sealing, all: [newest], newest, find } })
    expect([await asked(), await opened(), await isWhole()]).toEqual([before, expect.objectContaining({ opened: 3, unreadable: 0 }), true])
  })

  it('are in the archive of their instance as they were received', async () => {
    const { database, sealer } = harness.deps
    const archive = await exportInstance({ database, sealer, pageObjects }, { id: harness.instanceId, name: 'A', kind: 'live' })
    const pieces: Buffer[] = []
    for await (const piece of archive) pieces.push(piece)
    const lines = gunzipSync(Buffer.concat(pieces)).toString().trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line)).filter(({ table }) => table === 'raw_pages')
    expect(rows.map(({ row }) => [row.object_id, typeof Object.values(row.sealed)[0]])).toEqual(
      Array.from({ length: 3 }, () => [undefined, 'string']),
    )
    const first = rows.find(({ row }) => row.page === 0)
    const answer = Buffer.from(String(Object.values(first.row.sealed)[0]), 'base64').toString()
    expect(answer).toContain('Account 0')
  })

  it('of a bucket whose key is refused, or that is not there, are named by doctor', async () => {
    const { database } = harness.deps
    const at = {
      endpoint: server.address,
      region: 'us-east-1',
      prefix: 'ours/',
      accessKeyId: 'AK',
      secretAccessKey: new Secret('sk'),
      isDestination: true,
    }
    const idsOf = async (pageBucket: Parameters<typeof checkRawPages>[0]['pageBucket']) =>
      (await checkRawPages({ pageBucket }, database)).map((found) => found.id)
    expect(await idsOf({ ...at, bucket: 'pages' })).toEqual([])
    expect(await idsOf({ ...at, bucket: 'elsewhere' })).toEqual(['raw-pages-unreachable'])
    expect(await idsOf({ ...at, bucket: 'pages', endpoint: 'http://127.0.0.1:1' })).toEqual(['raw-pages-unreachable'])
    expect(await idsOf(null)).toEqual(['raw-pages-unreachable'])
    expect(await idsOf({ ...at, bucket: 'pages', prefix: 'theirs/' })).toEqual(['raw-pages-missing'])
    await database.query(`insert into unclaimed_objects values ('a/b/c', true, now() - interval '2 hours')`)
    expect(await idsOf({ ...at, bucket: 'pages' })).toEqual(['raw-page-objects-left'])
  })
})
