import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { readReplayReport } from '../../src/store/records/replay-reports.ts'
import type { SourcePage } from '../explain/source-pages.ts'
import { until } from '../process/deadline.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { CannedSource } from './canned-source.ts'
import { workOnce } from './replays.ts'

const PAGES = 60
const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

/** A chart of many pages, so that the process can be killed in the middle. */
const pages: SourcePage[] = Array.from({ length: PAGES }, (_, page) => ({
  connector: 'xero',
  pull: 'accounts',
  answers: {
    base: text({ BaseCurrency: 'CAD' }),
    Accounts: text({
      Accounts: Array.from({ length: 5 }, (_, i) => ({
        AccountID: `00000000-0000-4000-8000-${String(page * 5 + i).padStart(12, '0')}`,
        Code: String(page * 5 + i),
        Name: `Account ${page * 5 + i}`,
        Type: 'BANK',
        Class: 'ASSET',
        Status: 'ACTIVE',
      })),
    }),
  },
}))

let harness: SyncHarness
let dataDir = ''
let connectionId = ''
beforeAll(async () => {
  const xero = await CannedSource.of('xero', pages)
  harness = await openSyncHarness([xero])
  dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-replay-'))
  harness.deps.sealer = createSealer(await openKeys(dataDir))
  connectionId = await harness.connect(xero)
  await harness.sync(connectionId, { reason: 'first' })
  // Published by an older mapping.
  await harness.deps.database.query(
    `update record_versions set content_hash = '\\x00', mapping_version = 0, doc = replace(doc, '"typeSystem":"BANK"', '"typeSystem":"OTHER"')`,
  )
  await createInstance(harness.deps.database, { id: '11111111-1111-4111-8111-111111111111', name: 'Empty' })
})
afterAll(async () => {
  await harness.close()
  await rm(dataDir, { recursive: true, force: true })
})

function startCommand(args: string[]) {
  const { user, host, database } = harness.deps.database.options
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../src/main.ts'), 'replay', ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: `postgres://${user}@/${database}?host=${host}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, ended: once(child, 'exit'), output: () => output }
}

async function typeOfAll(): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ type: string }>(
    `select distinct doc::json ->> 'typeSystem' as type from record_versions where valid_to is null`,
  )
  return rows.map(({ type }) => type)
}

describe('npm run replay', () => {
  it('reports in a dry run over all instances what would change, and changes nothing', async () => {
    const { ended, output } = startCommand(['--dry-run', '--connector', 'xero'])
    await ended
    expect(output()).toContain('instance 11111111-1111-4111-8111-111111111111: 0 connections replayed')
    expect(output()).toContain('1 connections replayed, 0 skipped, 0 failed')
    expect(output()).toContain('300 records from 60 pages: 300 would change')
    expect(output()).toMatch(/Accounts\.typeSystem: 300\n.*"OTHER" → "BANK"/)
    expect(await typeOfAll()).toEqual(['OTHER'])
  })

  it('killed in the middle, is resumed by another worker after the last stored page', async () => {
    const { child, ended } = startCommand([`--instance=${harness.instanceId}`])
    const { database } = harness.deps
    const findPart = async () => {
      const { rows } = await database.query<{ replayId: string }>(
        `select replay_id as "replayId" from replay_parts where state = 'waiting' and cursor is not null`,
      )
      return rows[0] ?? null
    }
    const { replayId } = await until('the first page', findPart, 30_000)
    child.kill('SIGKILL')
    await ended
    expect(await typeOfAll(), 'nothing is published before the end').toEqual(['OTHER'])
    await endLeases(database)
    let opened = 0
    const { open } = harness.deps.sealer
    harness.deps.sealer.open = (context, sealed) => {
      if (context.table === 'raw_pages') opened += 1
      return open(context, sealed)
    }
    const outcome = await workOnce(harness, connectionId)
    expect(outcome).toMatchObject({ isFailure: false })
    expect(opened).toBeLessThan(PAGES)
    const report = await readReplayReport(database, harness.instanceId, replayId)
    expect(report).toMatchObject({ connections: { done: 1 }, counts: { pages: PAGES, records: 300, changed: 300 } })
    expect(await typeOfAll()).toEqual(['BANK'])
  })
})

describe('the arguments', () => {
  it.each([
    [['--all'], 'there is no option --all'],
    [['--company', 'x'], '--company: wanted is an id'],
    [['--connector'], '--connector has no value; wanted is --connector KEY'],
    [['--instance='], '--instance has no value'],
  ])('%j are refused, with exit code 2', async (args, words) => {
    const { ended, output } = startCommand(args)
    expect(await ended).toEqual([2, null])
    expect(output()).toContain(words)
  })
})
