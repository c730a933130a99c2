import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findFaults } from '../crash/checker.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from '../crash/harness.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { fakeTime, fakeTimeNote, lacksFakeTime } from '../process/fake-time.ts'
import { isLong } from '../prove/effort.ts'

const HOURS_2_MS = 7_200_000

let opened: TestDatabase
let harness: CrashHarness

const CLOCKS = {
  'forty days ahead': { FAKETIME: '+40d' },
  'forty days behind': { FAKETIME: '-40d' },
  'that is put forward to summer time meanwhile': { FAKETIME: '@2027-03-14 01:59:58', TZ: 'America/Toronto' },
  'that is put back to winter time meanwhile': { FAKETIME: '@2027-11-07 01:59:58', TZ: 'America/Toronto' },
  'on a leap day': { FAKETIME: '@2028-02-29 23:59:58', TZ: 'Pacific/Auckland' },
}

describe.skipIf(lacksFakeTime)(`a worker with a clock${fakeTimeNote}`, () => {
  beforeEach(async () => {
    opened = await testDatabase()
    harness = await openCrashHarness(opened.database, opened.url, 1)
    for (let round = 0; round < 4; round += 1) changeBooks(harness)
    await harness.connect(await harness.addCompany())
  })
  afterEach(async () => {
    await harness.close()
    await opened.drop()
  })

  test.each(Object.entries(CLOCKS).slice(0, isLong ? 5 : 3))(
    '%s syncs, refreshes its credentials, delivers, and schedules by the clock of the database',
    async (_name, clock) => {
      const environment = { ...fakeTime(clock.FAKETIME), ...clock }
      const worker = await harness.startWorker({ environment })
      await harness.whenDone()
      // At the source the token has expired, whatever the worker's clock says.
      harness.aheadMs = HOURS_2_MS
      changeBooks(harness)
      await harness.refreshAll()
      await harness.whenDone()
      await worker.kill()
      expect(await findFaults(harness)).toEqual([])
      expect(harness.provider.refreshes).toBeGreaterThan(0)
      const { rows } = await opened.database.query<{ status: number; isSoon: boolean }>(
        `select status, update_scheduled_at between clock_timestamp() + interval '2 hours' and clock_timestamp() + interval '28 hours' as "isSoon"
       from connections`,
      )
      expect(rows).toEqual([{ status: 15, isSoon: true }])
    },
  )
})
