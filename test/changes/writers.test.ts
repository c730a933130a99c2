import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChangePage, type ChangePosition, readChanges } from '../../src/store/changes/read-changes.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { disconnect, requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../crash/harness.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'

const SEED = Number(process.env.SEED ?? 1907)
const WORKERS = 3
const EVERYTHING = { companyId: null, entity: null }

let opened: TestDatabase
let harness: CrashHarness
let isOver: boolean

beforeEach(async () => {
  isOver = false
  opened = await testDatabase()
  harness = await openCrashHarness(opened.database, opened.url, SEED)
  for (let round = 0; round < 8; round += 1) changeBooks(harness)
})
afterEach(async () => {
  isOver = true
  await harness.close()
  await opened.drop()
})

/** A receiver of the feed that holds what it was told: texts of records by their keys. */
class Copy {
  readonly records = new Map<string, string>()
  items = 0
  /** Changes that were told after one that was committed later, of the same company and service. */
  outOfOrder = 0
  readonly #last = new Map<string, Standing>()
  #at: ChangePosition | null = null

  /** Reads one page; whether there is more. */
  async read(limit: number): Promise<boolean> {
    const page = await withinInstance(harness.instanceId, () =>
      readChanges(opened.database, harness.instanceId, this.#at, EVERYTHING, limit),
    )
    this.#apply(page)
    this.#at = page.next
    return page.hasMore
  }

  async readAll(limit: number): Promise<void> {
    while (await this.read(limit));
  }

  #apply({ items }: ChangePage): void {
    this.items += items.length
    for (const { record, cleared } of items) {
      const prefix = (record ?? cleared).companyId + (record ?? cleared).serviceId
      if (cleared) for (const key of this.records.keys()) if (key.startsWith(prefix)) this.records.delete(key)
      if (!record) continue
      if (record.placeId !== null) this.#check(prefix, BigInt(record.position), record.publishedAt)
      const key = `${prefix}${record.entity}${record.id}`
      if (record.deleted) this.records.delete(key)
      else this.records.set(key, record.doc)
    }
  }

  /** Within one position records come by kind; what was published before it never comes after. */
  #check(scope: string, position: bigint, publishedAt: Date): void {
    const last = this.#last.get(scope) ?? { position: 0n, newest: new Date(0), before: new Date(0) }
    const before = position === last.position ? last.before : last.newest
    if (position < last.position || publishedAt < before) this.outOfOrder += 1
    this.#last.set(scope, { position, before, newest: publishedAt > last.newest ? publishedAt : last.newest })
  }
}

/** Where a copy stands in one company's data at one service. */
interface Standing {
  position: bigint
  /** Newest publication of this position, and of those before it. */
  newest: Date
  before: Date
}

async function published(): Promise<Map<string, string>> {
  const { rows } = await opened.database.query<{ key: string; doc: string }>(
    `select company_id::text || service_id || entity || id as key, doc from record_versions v where valid_to is null and not deleted
       and exists (select from publications p where p.company_id = v.company_id and p.service_id = v.service_id)`,
  )
  return new Map(rows.map(({ key, doc }) => [key, doc]))
}

test(`readers of the feed have what ${effort.publishingConnections} connections published whose ${WORKERS} workers were killed ${effort.feedKills} times`, {
  timeout: 60_000 + effort.feedKills * 20_000,
}, async () => {
  for (let number = 0; number < effort.publishingConnections; number += 1) await harness.connect(await harness.addCompany())
  const [eager, slow, one] = [new Copy(), new Copy(), new Copy()]
  const readUntilOver = async (copy: Copy, limit: number) => {
    while (!isOver) await copy.read(limit)
  }
  const reading = Promise.all([readUntilOver(eager, 500), readUntilOver(slow, 3)])
  for (let kill = 0; kill < effort.feedKills; kill += 1) {
    changeBooks(harness)
    for (const companyId of harness.companyIds.slice(kill > 2 ? 1 : 0)) await requestRefresh(harness.sync, harness.target(companyId))
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => harness.startWorker()))
    await Promise.race([harness.contacts(harness.random.below(effort.publishingConnections * 12) + 1), harness.whenDone()])
    // Together: a kill waits until no worker has a session left.
    await Promise.all(workers.map((worker) => worker.kill()))
    // Somebody begins in the middle.
    if (kill === 1) await one.read(7)
    if (kill === 2) await disconnect(harness.sync, harness.target(harness.companyIds[0] ?? ''))
  }
  changeBooks(harness)
  for (const companyId of harness.companyIds.slice(1)) await requestRefresh(harness.sync, harness.target(companyId))
  await harness.finish()
  isOver = true
  await reading
  const wanted = await published()
  expect(wanted.size).toBeGreaterThan(effort.publishingConnections * 10)
  for (const [name, copy, limit] of [
    ['eager', eager, 500],
    ['slow', slow, 50],
    ['one', one, 1],
    ['late', new Copy(), 100],
  ] as const) {
    await copy.readAll(limit)
    expect([...wanted].filter(([key, doc]) => copy.records.get(key) !== doc).length, `${name}: missing or old`).toBe(0)
    expect([...copy.records.keys()].filter((key) => !wanted.has(key)).length, `${name}: held in vain`).toBe(0)
    expect(copy.outOfOrder, `${name}: told before what was committed earlier`).toBe(0)
  }
  reportFigure(
    'change feed',
    `${eager.items} changes read while ${effort.publishingConnections} connections published; 0 missing, 0 doubled, in order of commit`,
  )
})
