import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { decompress } from '../../src/connectors/toolkit/http/compression.ts'
import { readBody } from '../../src/egress/body.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { openPage, preparePage, storePage } from '../../src/sync/runs/raw-page-store.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { countReturns } from './event-loop.ts'

const MEBIBYTE = 1024 * 1024
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
/** Incompressible, so that what is packed is as large as the answer. */
const LARGE = randomBytes(8 * MEBIBYTE)

/** Bytes that were joined by one call, by us or by Node.js. */
const joined: number[] = []
beforeEach(() => {
  const concat = Buffer.concat
  vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
    const whole = concat(list, length)
    joined.push(whole.length)
    return whole
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  joined.splice(0)
})

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += MEBIBYTE) yield bytes.subarray(at, at + MEBIBYTE)
}

it('a large answer is received with a return to the event loop after each MiB', async () => {
  const bodies: Uint8Array[] = []
  const returns = await countReturns(async () => bodies.push((await readBody(piecesOf(LARGE), 2 * LARGE.length)).body))
  expect(returns).toBeGreaterThanOrEqual(8)
  expect(LARGE.equals(bodies[0] ?? new Uint8Array())).toBe(true)
})

it('a large answer is decompressed without being joined in one step', async () => {
  const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(LARGE) }
  joined.splice(0)
  expect(LARGE.equals(Buffer.from(await decompress(packed, 2 * LARGE.length)))).toBe(true)
  expect(Math.max(0, ...joined)).toBeLessThanOrEqual(MEBIBYTE)
})

it('a large page is packed, sealed, stored and opened without being joined in one step', async () => {
  const { deps, instanceId, companyId } = harness
  books.accounts = [{ id: '1', name: 'Bank' }]
  const connectionId = await harness.connect(books)
  const key = { instanceId, companyId, connectionId, pull: 'accounts', page: 0 }
  const page = await preparePage(deps, key, { list: LARGE, about: Buffer.from('{}') })
  await inTransaction(deps.database, (db) => storePage(db, key, page))
  const opened = await openPage(deps.database, deps, { ...key, id: page.id })
  expect(LARGE.equals(Buffer.from(opened?.answers.list ?? ''))).toBe(true)
  expect(joined.length).toBeGreaterThan(0)
  expect(Math.max(...joined)).toBeLessThanOrEqual(MEBIBYTE)
})
