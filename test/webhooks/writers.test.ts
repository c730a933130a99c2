import { randomInt } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { openWebhookHarness, raiseEvent, type WebhookHarness } from './harness.ts'

const WRITERS = 32

let harness: WebhookHarness

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(() => harness.close())

describe('many writers that commit in another order than they wrote', () => {
  test('leave no event out of the feed that a reader follows, nor out of the deliveries', { timeout: 900_000 }, async () => {
    const receiver = await harness.receive()
    await harness.subscribeTo(receiver.url)
    const writers = openDatabase(harness.test.url, { max: WRITERS })
    const committed: string[] = []
    let isWriting = true
    const write = async (): Promise<void> => {
      for (let number = 0; number < effort.concurrentEvents / WRITERS; number += 1) {
        const id = await inTransaction(writers, async (db) => {
          const raised = await raiseEvent(db, harness.instanceId, 'NormalizedData')
          await db.query('select pg_sleep($1)', [randomInt(20) / 1_000])
          return raised
        })
        committed.push(id)
      }
    }
    const followed: string[] = []
    const follow = async (): Promise<void> => {
      let after: string | null = null
      for (let isLast = false; !isLast; ) {
        isLast = !isWriting
        for (let hasMore = true; hasMore; ) {
          const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(harness.test.database, {
            ...{ instanceId: harness.instanceId, after, limit: 100, mayReadAudit: true },
          })
          followed.push(...page.events.map(({ id }) => id))
          after = page.cursor
          hasMore = page.hasMore
        }
      }
    }
    harness.dispatcher.start()
    const following = follow()
    await Promise.all(Array.from({ length: WRITERS }, write))
    isWriting = false
    await following
    expect(followed.toSorted()).toEqual(committed.toSorted())
    await receiver.reached(committed.length)
    expect([...new Set(receiver.received.map(({ identifier }) => identifier.split('.')[1]))].sort()).toEqual(committed.toSorted())
    reportFigure('events of 32 writers in the feed and delivered', committed.length)
    await writers.end()
  })
})
