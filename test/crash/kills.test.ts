import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { findFaults } from './checker.ts'
import { type CrashHarness, changeBooks, openCrashHarness } from './harness.ts'

const SEED = Number(process.env.SEED ?? 4711)
/** Approximate number of calls to the source and the receiver in one round of all companies. */
const CALLS_OF_A_ROUND = 24

let opened: TestDatabase
let harness: CrashHarness

beforeEach(async () => {
  opened = await testDatabase()
  harness = await openCrashHarness(opened.database, opened.url, SEED)
  for (let round = 0; round < 8; round += 1) changeBooks(harness)
})
afterEach(async () => {
  await harness.close()
  await opened.drop()
})

describe('worker processes', () => {
  test(`killed at ${effort.randomKills} random moments lose nothing and duplicate nothing`, {
    timeout: 60_000 + effort.randomKills * 10_000,
  }, async () => {
    for (let number = 0; number < 3; number += 1) await harness.connect(await harness.addCompany())
    for (let kill = 0; kill < effort.randomKills; kill += 1) {
      changeBooks(harness)
      await harness.refreshAll()
      const reached = harness.contacts(1 + harness.random.below(CALLS_OF_A_ROUND))
      const worker = await harness.startWorker()
      // A round with fewer calls is over when no more arrive.
      await Promise.race([reached, until('the calls', () => null, 2_000).catch(() => undefined)])
      await worker.kill()
    }
    await harness.finish()
    expect(await findFaults(harness)).toEqual([])
    reportFigure('crash: SIGKILLs of a worker at random moments', effort.randomKills)
    reportFigure('crash: events that came to the receiver meanwhile', harness.receiver.arrivals.length)
  })

  test('leave a sync half done, and a refresh requested after that delivers everything new', async () => {
    await harness.connect(await harness.addCompany())
    await harness.finish()
    changeBooks(harness)
    await harness.refreshAll()
    await (await harness.startWorker({ point: 'after-page-commit' })).died()
    changeBooks(harness)
    await harness.refreshAll()
    await harness.finish()
    expect(await findFaults(harness)).toEqual([])
  })

  /** Causes that bring the worker to each point. */
  const POINTS: [CrashPoint, (companyId: string) => Promise<string | undefined>][] = [
    ['after-run-opened', refresh],
    ['after-fetch-before-stage', refresh],
    ['after-stage-before-commit', refresh],
    ['after-page-commit', refresh],
    ['before-publish-commit', refresh],
    ['after-publish-commit', refresh],
    ['after-place-before-commit', refresh],
    ['after-claim-before-send', refresh],
    ['after-send-before-mark', refresh],
    ['after-mark', refresh],
    ['after-revoke-before-done', end],
    ['after-erase-before-event', end],
    ['before-grant-commit', async (companyId) => await harness.link(companyId)],
    [
      'before-failure-commit',
      async () => {
        harness.provider.revoke()
        await harness.refreshAll()
        return undefined
      },
    ],
  ]

  async function refresh(): Promise<undefined> {
    changeBooks(harness)
    await harness.refreshAll()
  }

  async function end(companyId: string): Promise<undefined> {
    await disconnect(harness.sync, harness.target(companyId))
  }

  test('killed once at every crash point lose nothing and duplicate nothing', { timeout: 360_000 }, async () => {
    const companyId = await harness.addCompany()
    await harness.connect(companyId)
    await harness.finish()
    for (const [point, cause] of POINTS) {
      const token = await cause(companyId)
      const worker = await harness.startWorker({ point, token })
      await worker.died()
      await harness.finish()
      // Ended, refused or never started: reconnects, so that the next point finds a complete connection.
      if (cause === end || token !== undefined || point === 'before-failure-commit') {
        await harness.connect(companyId)
        await harness.finish()
      }
      expect([point, ...(await findFaults(harness))]).toEqual([point])
    }
    reportFigure('crash: named crash points', POINTS.length)
  })
})
