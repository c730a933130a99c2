import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWebhookHarness, raiseEvent, type WebhookHarness } from '../../../test/webhooks/harness.ts'
import { dropWeeks } from '../../../test/webhooks/weeks.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { deleteEventsOfCompany, deleteOldEvents, insertEvent } from './events.ts'
import { type FeedEvent, listEvents, UnknownCursor } from './feed-pages.ts'

let bench: WebhookHarness

beforeEach(async () => {
  bench = await openWebhookHarness()
})
afterEach(() => bench.close())

/** Reads the feed from a cursor to its end. */
async function readFeed(after: string | null, limit = 50): Promise<{ events: FeedEvent[]; cursor: string | null }> {
  const events: FeedEvent[] = []
  let cursor = after
  let hasMore = true
  while (hasMore) {
    const page = await listEvents(bench.test.database, { instanceId: bench.instanceId, after: cursor, limit, mayReadAudit: true })
    events.push(...page.events)
    cursor = page.cursor
    hasMore = page.hasMore
  }
  return { events, cursor }
}

interface OpenTransaction {
  db: Db
  ids: string[]
  end(command: string): Promise<void>
}

async function begin(): Promise<OpenTransaction> {
  const { database } = bench.test
  const client = await (database.sessions ?? database).connect()
  await client.query('begin')
  return {
    db: client,
    ids: [],
    end: async (command) => {
      await client.query(command)
      client.release()
    },
  }
}

describe('an event', () => {
  test('exists if and only if its transaction commits', async () => {
    await expect(
      inTransaction(bench.test.database, async (db) => {
        await raiseEvent(db, bench.instanceId, 'NormalizedData')
        throw new Error('the cause did not happen')
      }),
    ).rejects.toThrow('the cause did not happen')
    const id = await bench.raise()
    expect((await readFeed(null)).events.map((event) => event.id)).toEqual([id])
  })

  test('of one cause happens once', async () => {
    const { database } = bench.test
    const first = await raiseEvent(database, bench.instanceId, 'NormalizedData', { dedupeKey: 'run/1' })
    await raiseEvent(database, bench.instanceId, 'NormalizedData', { dedupeKey: 'run/1' })
    expect((await readFeed(null)).events.map((event) => event.id)).toEqual([first])
  })

  test('of one cause happens once, however many transactions try at the same time', async () => {
    await Promise.all(
      Array.from({ length: 8 }, () =>
        inTransaction(bench.test.database, (db) => raiseEvent(db, bench.instanceId, 'RawData', { dedupeKey: 'run/1' })),
      ),
    )
    expect((await readFeed(null)).events).toHaveLength(1)
  })

  test('of the same cause in another instance is another event', async () => {
    const other = await bench.newInstance()
    const [mine, theirs] = [bench.instanceId, other].map((instanceId) =>
      insertEvent(bench.test.database, {
        ...{
          instanceId,
          id: crypto.randomUUID(),
          kind: 'RawData',
          companyId: other,
          serviceId: other,
          sessionId: other,
          dedupeKey: 'run/1',
        },
        data: { serviceName: '', categoryName: '', categoryId: other, email: '' },
      }),
    )
    expect([await mine, await theirs]).toEqual([true, true])
  })

  test('carries the time of the database, and its body is canonical', async () => {
    const id = await bench.raise()
    const { events } = await readFeed(null)
    const [event] = events
    expect(event?.body).toContain(`"ModifiedOn":"${event?.createdAt.toISOString().slice(0, -1)}"`)
    expect(event?.body).toMatch(
      new RegExp(`^\\{"Class":"DataConnection","Data":.*,"Identifier":"NormalizedData.${id}","MessageType":"NormalizedData"\\}$`),
    )
  })
})

describe('the feed', () => {
  test('gives every event once, page after page, in any page size', async () => {
    const ids: string[] = []
    for (let turn = 0; turn < 23; turn += 1) ids.push(await bench.raise())
    for (const limit of [1, 7, 23, 100]) expect((await readFeed(null, limit)).events.map((event) => event.id)).toEqual(ids)
  })

  test('goes on from its cursor, also from one at the end', async () => {
    await bench.raise()
    const { cursor } = await readFeed(null)
    expect(await readFeed(cursor)).toEqual({ events: [], cursor })
    const id = await bench.raise()
    expect((await readFeed(cursor)).events.map((event) => event.id)).toEqual([id])
  })

  test('of an instance shows nothing of another', async () => {
    await bench.raise('NormalizedData', await bench.newInstance())
    expect((await readFeed(null)).events).toEqual([])
  })

  test.each(['x', '', 'MS4x', Buffer.from('-1.00000000-0000-0000-0000-000000000000').toString('base64url')])(
    'refuses the cursor %j that it never gave',
    async (cursor) => {
      await expect(readFeed(cursor)).rejects.toThrow(UnknownCursor)
    },
  )

  test('starts again for a cursor from a future that a restore has undone', async () => {
    for (let turn = 0; turn < 3; turn += 1) await bench.raise()
    const { cursor } = await readFeed(null)
    await bench.test.database.query('delete from events where position > 1')
    await bench.test.database.query('update event_feeds set position = 1')
    expect((await readFeed(cursor)).events).toHaveLength(1)
    for (let turn = 0; turn < 4; turn += 1) await bench.raise()
    expect((await readFeed(cursor)).events).toHaveLength(5)
  })

  test('never skips an event, in whatever order transactions begin, write, commit and give up', async () => {
    const step = fc.record({ action: fc.constantFrom('write', 'commit', 'rollback', 'read', 'write', 'commit'), slot: fc.nat(3) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const open = new Map<number, OpenTransaction>()
        const committed: string[] = []
        let { cursor } = await readFeed(null)
        const seen: string[] = []
        const read = async () => {
          const page = await readFeed(cursor, 3)
          seen.push(...page.events.map((event) => event.id))
          cursor = page.cursor
        }
        const end = async (slot: number, command: string) => {
          const transaction = open.get(slot)
          open.delete(slot)
          await transaction?.end(command)
          if (command === 'commit') committed.push(...(transaction?.ids ?? []))
        }
        for (const { action, slot } of steps) {
          if (action === 'read') await read()
          else if (action !== 'write') await end(slot, action)
          else {
            const transaction = open.get(slot) ?? (await begin())
            open.set(slot, transaction)
            transaction.ids.push(await raiseEvent(transaction.db, bench.instanceId, 'NormalizedData'))
          }
        }
        for (const slot of [...open.keys()]) await end(slot, 'commit')
        await read()
        expect(seen.toSorted()).toEqual(committed.toSorted())
      }),
      { numRuns: 60 },
    )
  })

  test('never skips an event while many writers commit and two readers place', async () => {
    const written = new Set<string>()
    let isDone = false
    const write = async (writer: number) => {
      for (let turn = 0; turn < 60; turn += 1) {
        await inTransaction(bench.test.database, async (db) => {
          for (let more = 0; more <= (turn + writer) % 3; more += 1) written.add(await raiseEvent(db, bench.instanceId, 'NormalizedData'))
          for (let pause = 0; pause < (turn * 7 + writer) % 5; pause += 1) await db.query('select 1')
        })
      }
    }
    const follow = async (): Promise<string[]> => {
      const seen: string[] = []
      let cursor: string | null = null
      let isLast = false
      while (!isLast) {
        isLast = isDone
        const page = await readFeed(cursor, 10)
        seen.push(...page.events.map((event) => event.id))
        cursor = page.cursor
      }
      return seen
    }
    const readers = [follow(), follow()]
    await Promise.all(Array.from({ length: 6 }, (_, writer) => write(writer)))
    isDone = true
    for (const seen of await Promise.all(readers)) expect(seen.toSorted()).toEqual([...written].toSorted())
  })
})

describe('the end of an event', () => {
  test('comes with the erasure of its company, deliveries and attempts included', async () => {
    const receiver = await bench.receive()
    await bench.subscribeTo(receiver.url)
    const companyId = crypto.randomUUID()
    await raiseEvent(bench.test.database, bench.instanceId, 'NormalizedData', { companyId })
    const kept = await bench.raise()
    await bench.dispatcher.runOnce()
    await deleteEventsOfCompany(bench.test.database, bench.instanceId, companyId)
    expect((await readFeed(null)).events.map((event) => event.id)).toEqual([kept])
    const { rows } = await bench.test.database.query('select 1 from delivery_attempts')
    expect(rows).toHaveLength(1)
  })

  test('comes with its age, and a cursor that stood on it goes on', async () => {
    await dropWeeks(bench.test.database)
    await bench.raise()
    const { cursor } = await readFeed(null)
    await bench.test.database.query(`update events set created_at = created_at - interval '91 days'`)
    expect(await deleteOldEvents(bench.test.database, bench.instanceId, 90, 100)).toBe(1)
    const id = await bench.raise()
    expect((await readFeed(cursor)).events.map((event) => event.id)).toEqual([id])
  })
})
