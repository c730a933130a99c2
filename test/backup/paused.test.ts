import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { Activity } from '../../src/jobs/activity.ts'
import { isRestoredCopy, ONLY_ANSWERS, type PauseWatch, watchPause } from '../../src/jobs/pause-watch.ts'
import { startTicker } from '../../src/jobs/ticker.ts'
import { startWakeup } from '../../src/jobs/wakeup.ts'
import { type Handler, startWorker } from '../../src/jobs/worker.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { findPause, pauseDeployment, resumeDeployment } from '../../src/store/db/deployment-pause.ts'
import { enqueueJob } from '../../src/store/jobs/jobs.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { listWaitingInstances } from '../../src/store/webhooks/event-feeds.ts'
import { insertEvent } from '../../src/store/webhooks/events.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { openConnectHarness } from '../connect/kit/harness.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { bearerOf, logInAt, testApi } from '../harness/test-api.ts'
import { until } from '../process/deadline.ts'

/** Calls of `isPaused` after which the caller would have started work. */
const ASKED = 3

const fail = (error: unknown) => {
  throw error
}

const test = databaseForTests()
let watch: PauseWatch | null = null
beforeEach(async () => {
  await pauseDeployment(test.database, { reason: 'restored', backupId: randomUUID() })
})
afterEach(async () => {
  await watch?.stop()
  await resumeDeployment(test.database)
})

/** An `isPaused` that reads the database, and a promise that it was called several times. */
async function openGate(database: Database): Promise<{ isPaused(): boolean; asked: Promise<void>; resumed: Promise<void> }> {
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>()
  const { promise: resumed, resolve: wasResumed } = Promise.withResolvers<void>()
  const opened = await watchPause(database, (pause) => pause === null && wasResumed())
  watch = opened
  let times = 0
  return {
    isPaused: () => {
      times += 1
      if (times >= ASKED) wasAsked()
      return opened.current() !== null
    },
    asked,
    resumed,
  }
}

describe('a process that rests', () => {
  it('knows a pause and its end as soon as they are announced', async () => {
    let elapsedMs = 0
    const activity = new Activity(() => elapsedMs)
    const listening = startWakeup(test.database, { channel: 'jobs', pollMs: 3_600_000, activity }, () => undefined, fail)
    elapsedMs = 61_000
    await until('it rests', () => activity.isResting() || null)
    const opened = await watchPause(test.database, () => undefined, activity)
    watch = opened
    await resumeDeployment(test.database)
    // Less than a poll of a process that rests.
    await until('the end of the pause', () => (opened.current() === null ? true : null), 5_000)
    elapsedMs = 122_000
    await pauseDeployment(test.database, { reason: 'requested', backupId: null })
    await until('the pause', () => (opened.current() === null ? null : true), 5_000)
    await listening.stop()
  })
})

describe('a process that only answers', () => {
  it('asks for the pause when it is asked, at most once a second, and by itself seldom', async () => {
    let asked = 0
    const counting = Object.assign(Object.create(test.database) as Database, {
      query: (...args: Parameters<Database['query']>) => {
        asked += 1
        return test.database.query(...args)
      },
    })
    let elapsedMs = 0
    const opened = await watchPause(
      counting,
      () => undefined,
      ONLY_ANSWERS,
      () => elapsedMs,
    )
    watch = opened
    await resumeDeployment(test.database)
    elapsedMs = 999
    expect([(await opened.find())?.reason, asked]).toEqual(['restored', 1])
    elapsedMs = 1_000
    expect(await Promise.all([opened.find(), opened.find()])).toEqual([null, null])
    expect([await opened.find(), asked]).toEqual([null, 2])
  })
})

describe('a paused deployment', () => {
  it('claims no job until it is resumed, then all of them', async () => {
    const gate = await openGate(test.database)
    const instanceId = randomUUID()
    await enqueueJob(test.database, { instanceId, kind: 'sync', key: 'one', payload: {} })
    let ran = 0
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const handler: Handler = async () => {
      ran += 1
      resolve()
      return { done: true }
    }
    const worker = startWorker({
      database: test.database,
      handlers: { sync: handler },
      concurrency: 1,
      isPaused: gate.isPaused,
      onError: () => undefined,
      pace: { pollMs: 10 },
    })
    await gate.asked
    expect(ran).toBe(0)
    expect((await test.database.query('select state, attempts from jobs')).rows).toEqual([{ state: 'ready', attempts: 0 }])
    await resumeDeployment(test.database)
    await done
    await worker.stop()
  })

  it('asks a running job to stop, and keeps its attempts', async () => {
    await resumeDeployment(test.database)
    const gate = await openGate(test.database)
    await enqueueJob(test.database, { instanceId: randomUUID(), kind: 'sync', key: 'long', payload: {} })
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: returned, resolve: giveBack } = Promise.withResolvers<void>()
    const handler: Handler = async (_job, signal) => {
      begin()
      while (!signal.isStopping()) await new Promise((next) => setImmediate(next))
      giveBack()
      return { done: false, inMs: 0, isFailure: false, reason: 'the worker stopped' }
    }
    const worker = startWorker({
      ...{ database: test.database, handlers: { sync: handler }, concurrency: 1 },
      ...{ isPaused: gate.isPaused, onError: () => undefined, pace: { pollMs: 10 } },
    })
    await begun
    await pauseDeployment(test.database, { reason: 'requested', backupId: null })
    await returned
    await worker.stop()
    expect((await test.database.query(`select state, attempts from jobs where key = 'long'`)).rows).toEqual([
      { state: 'ready', attempts: 0 },
    ])
  })

  it('starts no periodic task, and sequences and sends no event', async () => {
    const gate = await openGate(test.database)
    let ticks = 0
    const ticker = startTicker([{ name: 'tick', everyMs: 5, run: async () => (ticks += 1) }], () => undefined, gate.isPaused)
    await gate.asked
    await ticker.stop()
    expect(ticks).toBe(0)
    // With a closed pool, any query would fail.
    const closed = openDatabase(test.url)
    await closed.end()
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const egress = createEgress({ allowPrivate: true })
    const dispatcher = new Dispatcher({ database: closed, egress, sealer: createSealer(await testKeys()), log, isPaused: gate.isPaused })
    expect(await dispatcher.runOnce()).toBe(0)
    await egress.close()
  })

  it('sequences and sends nothing more once the pause begins within a round', async () => {
    const { database } = test
    const instances = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    for (const id of instances) await database.query(`insert into instances (id, name) values ($1, 'One of many')`, [id])
    const facts = { kind: 'RawData', companyId: randomUUID(), serviceId: randomUUID(), sessionId: randomUUID() } as const
    const data = { serviceName: 'Books', categoryName: 'Accounting', categoryId: randomUUID(), email: 'ann@example.com' }
    for (const instanceId of instances) await insertEvent(database, { ...facts, instanceId, id: randomUUID(), dedupeKey: instanceId, data })
    let asked = 0
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const egress = createEgress({ allowPrivate: true })
    const isPaused = () => {
      asked += 1
      return asked > 1
    }
    await new Dispatcher({ database, egress, sealer: createSealer(await testKeys()), log, isPaused }).runOnce()
    expect(await listWaitingInstances(database)).toHaveLength(instances.length)
    await egress.close()
  })

  it('calls nobody if it is a restored copy', async () => {
    const opened = await watchPause(test.database, () => undefined)
    watch = opened
    const egress = createEgress({ allowPrivate: true, isClosed: () => isRestoredCopy(opened) })
    const request = { url: 'http://127.0.0.1:9/', timeoutMs: 1_000, maxBytes: 1 }
    await expect(egress.request(request)).rejects.toThrow('restored copy')
    await egress.close()
  })

  it('stays a restored copy if an operator pauses it', async () => {
    await pauseDeployment(test.database, { reason: 'requested', backupId: null })
    expect((await findPause(test.database))?.reason).toBe('restored')
  })
})

describe('the API of a paused deployment', () => {
  const api = openForTests(() => testApi({}, { current: () => current, find: async () => current }))
  let bearer: { authorization: string }
  let email: string
  const pause = { reason: 'restored' as const, pausedAt: new Date('2026-11-20T12:00:00Z'), backupId: null }
  let current: typeof pause | null = null

  beforeAll(async () => {
    email = (await api.addUser()).email
    current = pause
    bearer = await bearerOf(api, email)
  })

  const get = (url: string) => api.app.inject({ url, headers: bearer })

  it('lets users log in and read, and reports the pause', async () => {
    expect((await logInAt(api.app, email)).statusCode).toBe(200)
    const deployment = await get('/admin/api/v1/deployment')
    expect([deployment.statusCode, deployment.json()]).toEqual([
      200,
      expect.objectContaining({ pause: { reason: 'restored', since: '2026-11-20T12:00:00.000' } }),
    ])
    expect((await get('/readyz')).json()).toEqual({ status: 'ready', paused: 'restored', since: '2026-11-20T12:00:00.000Z' })
  })

  it.each([
    ['POST', '/admin/api/v1/normalized-data/company'],
    ['DELETE', '/admin/api/v1/webhooks/subscriptions/0197a3c5-7a9c-7d58-8f0e-6a2f3b1c4d5e'],
    [
      'GET',
      '/admin/api/v1/normalized-data/company/0197a3c5-7a9c-7d58-8f0e-6a2f3b1c4d5e/data-connection/0197a3c5-7a9c-7d58-8f0e-6a2f3b1c4d5e/link',
    ],
    ['POST', '/hooks/plaid'],
  ] as const)('refuses %s %s with a reason', async (method, url) => {
    const answer = await api.app.inject({ method, url, headers: bearer, ...(method === 'POST' ? { payload: {} } : {}) })
    expect([answer.statusCode, answer.headers['retry-after'], answer.json().detail]).toEqual([
      503,
      '60',
      expect.stringContaining('countinghouse resume'),
    ])
  })
})

describe('the pages for owners of a paused deployment', () => {
  it('answer that the service is unavailable, and read no link', async () => {
    const harness = await openConnectHarness()
    try {
      const link = await harness.link('form-source')
      const requested = { reason: 'requested', pausedAt: new Date(), backupId: null }
      Object.assign(harness.deps, { pause: { current: () => requested, find: async () => requested } })
      const before = await harness.countRows()
      const answer = await fetch(link)
      expect([answer.status, answer.headers.get('retry-after'), await harness.countRows()]).toEqual([503, '60', before])
      expect(await answer.text()).toContain('One moment, please')
    } finally {
      await harness.close()
    }
  })
})
