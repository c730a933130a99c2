import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { placeChanges } from '../../src/store/changes/place-changes.ts'
import { applyRetention, RETAINED_CLASSES, type RetainedClass, type RetentionMonths } from '../../src/sync/connection/retention.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { earlier } from './earlier.ts'

const NEVER = Object.fromEntries(RETAINED_CLASSES.map((of) => [of, null])) as RetentionMonths
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))

beforeEach(async () => {
  for (const table of ['replay_parts', 'replays', 'unplaced_publications', 'placed_changes', 'placed_publications', 'change_feeds'])
    await harness.deps.database.query(`delete from ${table}`)
})

async function count(table: string): Promise<number> {
  const { rows } = await harness.deps.database.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return rows[0]?.count ?? 0
}

/** A pass that nothing stops before this number of safe points. */
async function pass(months: Partial<RetentionMonths> = {}, checks = Number.POSITIVE_INFINITY) {
  const deleted: [RetainedClass, number][] = []
  let left = checks
  const isStopping = () => {
    left -= 1
    return left < 0
  }
  await applyRetention(harness.deps.database, { ...NEVER, ...months }, { onDeleted: (...told) => deleted.push(told), isStopping })
  return deleted
}

describe('reports of replays', () => {
  const add = (days: number, id = randomUUID()) =>
    harness.deps.database.query(
      `insert into replays (instance_id, id, is_dry_run, requested_by, created_at) values ($1, $2, true, 'x', ${earlier('clock_timestamp()', `${days} days`)})`,
      [harness.instanceId, id],
    )

  it('are deleted after 90 days', async () => {
    await add(91)
    await add(89)
    await pass()
    expect(await count(`replays where created_at < clock_timestamp() - interval '90 days'`)).toBe(0)
    expect(await count('replays')).toBe(1)
  })
})

describe('notes of publications', () => {
  /** Of publications that are gone, which on a cluster the notes have to say. */
  const note = (instanceId: string, many: number) => {
    const [columns, values] = harness.deps.database.isDistributed ? [', version, is_removed', ', 1, true'] : ['', '']
    return harness.deps.database.query(
      `insert into unplaced_publications (instance_id, company_id, service_id, noted_at${columns})
       select $1, gen_random_uuid(), gen_random_uuid(), ${earlier('clock_timestamp()', '2 days')}${values} from generate_series(1, $2)`,
      [instanceId, many],
    )
  }

  it('of an instance that nobody reads by changes go after a day, however many there are', async () => {
    await note(harness.instanceId, 2_001)
    await pass()
    expect(await count('unplaced_publications')).toBe(0)
  })

  it('go in small batches, between which the pass can be stopped', async () => {
    await note(harness.instanceId, 2_001)
    await pass({}, 0)
    expect(await count('unplaced_publications')).toBe(1_001)
  })

  it('become places where somebody has read the feed once, in every instance', async () => {
    const other = await addInstance(harness.deps.database)
    for (const instanceId of [harness.instanceId, other]) {
      await placeChanges(harness.deps.database, instanceId)
      await note(instanceId, 1)
    }
    await pass({}, 0)
    expect(await count('unplaced_publications'), 'stopped before the first').toBe(2)
    await pass({}, 1)
    expect(await count('unplaced_publications'), 'stopped before the second').toBe(1)
    await pass()
    expect(await count('unplaced_publications')).toBe(0)
  })
})

describe('places in the feed of changes', () => {
  it('are deleted 90 days after their successor came', async () => {
    await placeChanges(harness.deps.database, harness.instanceId)
    const { instanceId, companyId } = harness
    for (const [index, days] of [200, 100, 91, 89, 1].entries())
      await harness.deps.database.query(
        `insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind, placed_at)
         values ($1, $2, $3, $3, $3, 'none', ${earlier('clock_timestamp()', `${days} days`)})`,
        [instanceId, index + 1, companyId],
      )
    await pass()
    const { rows } = await harness.deps.database.query<{ position: string }>('select position from placed_changes order by position')
    // The third was the last one until the fourth came, 89 days ago.
    expect(rows.map(({ position }) => position)).toEqual(['3', '4', '5'])
  })
})

describe('a pass', () => {
  beforeEach(async () => {
    await harness.deps.database.query('delete from links')
    await harness.deps.database.query(
      `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
       select $1, gen_random_uuid(), convert_to('hash ' || n, 'UTF8'), $2, $3, 'x', ${earlier('clock_timestamp()', '14 months')} from generate_series(1, 1001) n`,
      [harness.instanceId, harness.companyId, harness.serviceId(books)],
    )
  })

  it('deletes in small batches, and tells of each that deleted something', async () => {
    const told = await pass({ links: 13, receipts: 13 })
    expect(told).toEqual([
      ['links', 1_000],
      ['links', 1],
    ])
  })

  it('ends after the batch in which it is stopped, without the rest', async () => {
    await harness.deps.database.query(
      `insert into replays (instance_id, id, is_dry_run, requested_by, created_at) values ($1, $2, true, 'x', ${earlier('clock_timestamp()', '91 days')})`,
      [harness.instanceId, randomUUID()],
    )
    expect(await pass({ links: 13 }, 0)).toEqual([['links', 1_000]])
    expect([await count('links'), await count('replays')]).toEqual([1, 1])
  })
})
