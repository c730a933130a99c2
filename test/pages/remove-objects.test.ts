import { beforeEach, describe, expect, it } from 'vitest'
import { StorageRefused } from '../../src/object-storage/s3-object.ts'
import type { PageObjects } from '../../src/sync/context/groups.ts'
import { removeUnclaimedObjects } from '../../src/sync/pages/remove-objects.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'

const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  return { database, close: drop }
})
const CONCURRENT = 8

let asked: string[]
let warnings: Record<string, unknown>[]
/** Error of the removal of an object; null for one that succeeds. */
let faultOf: (key: string) => Error | null
let beingRemoved: number
let mostAtOnce: number

beforeEach(async () => {
  asked = []
  warnings = []
  faultOf = () => null
  beingRemoved = 0
  mostAtOnce = 0
  await opened.database.query('delete from unclaimed_objects')
})

const pageObjects: PageObjects = {
  isDestination: true,
  put: () => Promise.reject(new Error('nothing is put')),
  get: () => Promise.reject(new Error('nothing is read')),
  remove: async (key) => {
    asked.push(key)
    beingRemoved += 1
    mostAtOnce = Math.max(mostAtOnce, beingRemoved)
    await new Promise((resolve) => setImmediate(resolve))
    beingRemoved -= 1
    const fault = faultOf(key)
    if (fault) throw fault
  },
}

async function queueRemoval(count: number): Promise<void> {
  await opened.database.query(
    `insert into unclaimed_objects (object_key, due_at, is_condemned)
     select 'object ' || n, clock_timestamp() - interval '1 minute', true from generate_series(1, $1) n`,
    [count],
  )
}

async function remove(isStopping = () => false): Promise<number> {
  const log = { info: () => undefined, warn: (fields: Record<string, unknown>) => warnings.push(fields), error: () => undefined }
  return await removeUnclaimedObjects({ database: opened.database, log, pageObjects }, isStopping)
}

async function left(where = 'true'): Promise<number> {
  return (await opened.database.query(`select from unclaimed_objects where ${where}`)).rowCount ?? 0
}

const refused = () => new StorageRefused('The storage answered 503.', 503, 'SlowDown')

describe('objects that no page has', () => {
  it.each([0, 1, 500, 501, 1_100])('are removed once each, few at a time, and forgotten, however many there are: %i', async (count) => {
    await queueRemoval(count)
    expect(await remove()).toBe(count)
    expect([asked.length, new Set(asked).size, await left()]).toEqual([count, count, 0])
    expect(mostAtOnce).toBe(Math.min(count, CONCURRENT))
    expect(warnings).toEqual([])
  })

  it('that cannot be removed stay known and are tried again after ten minutes, and the others are removed', async () => {
    await queueRemoval(20)
    faultOf = (key) => (['object 3', 'object 7'].includes(key) ? refused() : null)
    expect(await remove()).toBe(18)
    expect(warnings).toEqual([{ failed: 2, reason: 'The storage answered 503.' }])
    expect(await left(`due_at between clock_timestamp() + interval '9 minutes' and clock_timestamp() + interval '11 minutes'`)).toBe(2)
    expect([await remove(), asked.length], 'not before').toEqual([0, 20])
    faultOf = () => null
    await opened.database.query(`update unclaimed_objects set due_at = due_at - interval '10 minutes'`)
    expect([await remove(), await left()]).toEqual([2, 0])
  })

  it('are left alone for now by a storage that refuses one after another', async () => {
    await queueRemoval(600)
    faultOf = refused
    expect(await remove()).toBe(0)
    // As many as were under way when the last one failed, which is refused too.
    expect(asked.length).toBeLessThan(2 * CONCURRENT)
    expect(warnings).toMatchObject([{ failed: asked.length }])
    expect(await left()).toBe(600)
    expect(await left(`due_at < clock_timestamp()`), 'of the others none is postponed').toBe(600 - asked.length)
  })

  it('stay known where the fault is our own, which is thrown', async () => {
    await queueRemoval(3)
    faultOf = () => new TypeError('a mistake of ours')
    await expect(remove()).rejects.toThrow('a mistake of ours')
    expect(await left()).toBe(3)
  })

  it('are not removed any more once the process is stopping; those that are gone are forgotten', async () => {
    await queueRemoval(600)
    expect(await remove(() => true)).toBe(0)
    expect(asked).toEqual([])
    expect(await remove(() => asked.length >= 40)).toBe(asked.length)
    expect(asked.length).toBeLessThan(40 + CONCURRENT)
    expect(await left()).toBe(600 - asked.length)
  })
})
