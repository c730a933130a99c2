import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction, openDatabase } from '../../src/store/db/database.ts'
import { listEvents } from '../../src/store/webhooks/feed-pages.ts'
import { until } from '../process/deadline.ts'
import { answerOf, openWebhookHarness, type WebhookHarness } from './harness.ts'

let harness: WebhookHarness
let processes: ChildProcess[] = []

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(async () => {
  for (const child of processes) child.kill('SIGKILL')
  processes = []
  await harness.close()
})

function moduleUrl(path: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href)
}

/** A dispatcher in its own process, on the test's database. */
function startProcess(): ChildProcess {
  const script = `
    const { openDatabase } = await import(${moduleUrl('../../src/store/db/database.ts')})
    const { createSealer } = await import(${moduleUrl('../../src/store/keys/sealing.ts')})
    const { createEgress } = await import(${moduleUrl('../../src/egress/egress.ts')})
    const { Dispatcher } = await import(${moduleUrl('../../src/webhooks/dispatcher.ts')})
    const key = { id: '0011223344556677', bytes: Buffer.from(process.env.SEALING_KEY, 'hex') }
    const sealer = createSealer({ sealing: { newest: key, find: () => key, all: [key] } })
    const log = { info: () => {}, warn: () => {}, error: (fields) => process.stderr.write(String(fields.err?.stack) + '\\n') }
    new Dispatcher({ database: openDatabase(process.env.DATABASE), egress: createEgress({ allowPrivate: true }), sealer, log }).start()
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, DATABASE: harness.test.url, SEALING_KEY: harness.sealingKey.toString('hex') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  processes.push(child)
  return child
}

/** Expires all leases, once the commits that a killed process has sent are over. */
async function expireLeases(): Promise<void> {
  await until('the transactions of the killed process have ended', async () => {
    const { rowCount } = await harness.test.database.query(
      `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
         and pid <> pg_backend_pid() and xact_start is not null`,
    )
    return rowCount === 0 ? true : null
  })
  await harness.test.database.query('update deliveries set leased_until = clock_timestamp() where lease is not null')
}

async function finish(): Promise<void> {
  while ((await harness.dispatcher.runOnce()) > 0);
}

async function undelivered(): Promise<number> {
  const { rows } = await harness.test.database.query(`select 1 from deliveries where status <> 'delivered'`)
  return rows.length
}

describe('a dispatcher that is killed', () => {
  test('while a receiver answers loses nothing: another one repeats the attempt when the lease has expired', async () => {
    let child: ChildProcess | undefined
    const receiver = await harness.receive((_request, response) => {
      child?.kill('SIGKILL')
      child = undefined
      response.end()
    })
    await harness.subscribeTo(receiver.url)
    const id = await harness.raise()
    child = startProcess()
    await once(child, 'exit')
    expect(await harness.dispatcher.runOnce()).toBe(0)
    await expireLeases()
    expect(await harness.dispatcher.runOnce()).toBe(1)
    expect(receiver.received.map(({ identifier }) => identifier)).toEqual([`NormalizedData.${id}`, `NormalizedData.${id}`])
    expect(await undelivered()).toBe(0)
  })

  test('repeatedly, before and after responses, loses no event', async () => {
    let child: ChildProcess | undefined
    let killAt = Number.POSITIVE_INFINITY
    const receiver = await harness.receive((_request, response, count) => {
      const kill = () => {
        if (count !== killAt) return
        child?.kill('SIGKILL')
      }
      if (count % 2 === 0) kill()
      response.end(kill)
    })
    for (let number = 0; number < 4; number += 1) await harness.subscribeTo(`${receiver.url}/${number}`)
    const events: string[] = []
    for (let turn = 0; turn < 60; turn += 1) events.push(await harness.raise())
    for (const step of [1, 6, 13, 2, 21]) {
      killAt = receiver.received.length + step
      child = startProcess()
      await once(child, 'exit')
      await expireLeases()
    }
    await finish()
    expect(await undelivered()).toBe(0)
    for (let number = 0; number < 4; number += 1) {
      const got = receiver.received.filter(({ path }) => path === `/${number}`).map(({ identifier }) => identifier.split('.')[1])
      expect([...new Set(got)].sort()).toEqual(events.toSorted())
    }
  })

  test('between the commit of an event and its delivery loses nothing, although the notification is lost', async () => {
    const receiver = await harness.receive()
    await harness.subscribeTo(receiver.url)
    const id = await harness.raise()
    harness.dispatcher.start()
    await receiver.reached(1)
    expect(receiver.received[0]?.identifier).toBe(`NormalizedData.${id}`)
  })

  test('and was only slow writes nothing over the attempt of its successor', async () => {
    let release = () => {}
    const receiver = await harness.receive((_request, response, count) => {
      if (count > 1) response.end()
      else release = () => void response.writeHead(500).end()
    })
    await harness.subscribeTo(receiver.url)
    await harness.raise()
    const slow = harness.dispatcher.runOnce()
    await receiver.reached(1)
    await expireLeases()
    const successor = harness.dispatcher.runOnce()
    await receiver.reached(2)
    release()
    await Promise.all([slow, successor])
    const { rows } = await harness.test.database.query('select status, attempt_count from deliveries')
    expect(rows).toEqual([{ status: 'delivered', attempt_count: 1 }])
    expect(harness.reports.map(({ message }) => message)).toEqual(['a webhook attempt outlived its claim; it will be made again'])
  })
})

describe('while the events of a round are committed', () => {
  const LOCK = 4_711

  /** Lets the commit of a feed run a statement of PL/pgSQL. */
  async function atCommit(statement: string): Promise<void> {
    const { database } = harness.test
    await database.query(
      `create or replace function at_commit() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`,
    )
    await database.query(`create constraint trigger at_commit after update on event_feeds deferrable initially deferred
      for each row execute function at_commit()`)
  }

  /** Sessions that wait for a lock. */
  async function countWaiting(): Promise<number | null> {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await harness.test.database.query(waiting)).rowCount
  }

  test('their requests are sent, readers of the feed wait, and outcomes are recorded afterwards', async () => {
    const { instanceId } = harness
    await harness.subscribeTo('https://receiver.example/in')
    const eventId = await harness.raise()
    await atCommit(`perform pg_advisory_xact_lock(${LOCK})`)
    const [arrived, passed] = [Promise.withResolvers<void>(), [] as string[]]
    const dispatcher = harness.openStubbed(
      async () => {
        arrived.resolve()
        return answerOf(200)
      },
      { crashPoint: async (name) => void passed.push(name) },
    )
    const round = await inTransaction(harness.test.database, async (db) => {
      await db.query('select pg_advisory_xact_lock($1)', [LOCK])
      const running = dispatcher.runOnce()
      await arrived.promise
      await until('the attempt has ended', () => (passed.includes('after-send-before-mark') ? true : null))
      expect([await harness.deliveries(), passed.includes('after-mark')]).toEqual([[], false])
      const reading = listEvents(harness.test.database, { instanceId, after: null, limit: 10, mayReadAudit: false })
      await until('the reader waits for the commit, too', async () => ((await countWaiting()) === 2 ? true : null))
      return { running, reading }
    })
    // Who reads the feed because of a request finds its event there.
    expect([await round.running, (await round.reading).events.map(({ id }) => id)]).toEqual([1, [eventId]])
    expect((await harness.deliveries()).map(({ status }) => status)).toEqual(['delivered'])
    expect(harness.attempts).toEqual([{ result: 'delivered', isTimed: true }])
  })

  test('the commit waits for the disk, as long as it contains positions', async () => {
    await harness.subscribeTo('https://receiver.example/in')
    await harness.raise()
    await harness.test.database.query('create table commits (setting text)')
    await atCommit(`insert into commits values (current_setting('synchronous_commit'))`)
    // The databases of tests do not wait for the disk by themselves.
    const database = harness.test.url.split('/').at(-1)?.split('?')[0]
    await harness.test.database.query(`alter database "${database}" set synchronous_commit = on`)
    const sessions = openDatabase(harness.test.url)
    expect(await harness.openStubbed(async () => answerOf(200), { database: sessions }).runOnce()).toBe(1)
    await sessions.end()
    expect((await harness.test.database.query('select setting from commits')).rows).toEqual([{ setting: 'on' }])
  })

  test('and the commit fails, they are committed and sent again', async () => {
    const { id: subscriptionId } = await harness.subscribeTo('https://receiver.example/in')
    const id = await harness.raise()
    await atCommit(`raise 'no room'`)
    const dispatcher = harness.openStubbed(async () => answerOf(200))
    expect(await dispatcher.runOnce()).toBe(0)
    expect([await harness.deliveries(), harness.attempts]).toEqual([[], []])
    const message = 'the claim of a webhook attempt was not committed; the attempt will be made again'
    expect(harness.reports.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', message, fields: expect.objectContaining({ instanceId: harness.instanceId, subscriptionId, httpStatus: 200 }) },
    ])
    await harness.test.database.query('drop trigger at_commit on event_feeds')
    expect(await dispatcher.runOnce()).toBe(1)
    expect((await harness.deliveries()).map(({ status, attempts: made }) => [status, made.length])).toEqual([['delivered', 1]])
    expect(harness.sent.map(({ headers }) => headers?.['webhook-id'])).toEqual([`evt_${id}`, `evt_${id}`])
  })
})
