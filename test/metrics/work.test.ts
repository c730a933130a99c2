import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { registerCountMetrics } from '../../src/metrics/database.ts'
import { registerWorkMetrics, type WorkMetrics } from '../../src/metrics/work.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { replayEvent } from '../../src/webhooks/replay.ts'
import { sendMail } from '../harness/app/jobs.ts'
import { type MailHarness, openMailHarness } from '../mail/harness.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { openWebhookHarness, type WebhookHarness } from '../webhooks/harness.ts'

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
const HOUR_MS = 3_600_000

let registry: Registry
let work: WorkMetrics
beforeEach(() => {
  registry = new Registry()
  work = registerWorkMetrics(registry)
})

/** Lines of one metric without its comments. */
async function linesOf(name: string): Promise<string[]> {
  return (await registry.getSingleMetricAsString(name)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

describe('a sync run', () => {
  let syncHarness: SyncHarness
  let books: ScriptedSource
  let connectionId: string
  beforeEach(async () => {
    books = new ScriptedSource('books')
    books.accounts = [{ id: 'cash', name: 'Cash' }]
    syncHarness = await openSyncHarness([books])
    syncHarness.deps.onRunEnded = work.countRun
    connectionId = await syncHarness.connect(books)
  })
  afterEach(async () => await syncHarness.close())

  it('is counted by result, with its duration', async () => {
    await syncHarness.sync(connectionId)
    await syncHarness.sync(connectionId)
    const runs = await linesOf('countinghouse_sync_runs_total')
    expect(runs).toContain('countinghouse_sync_runs_total{category="Accounting",result="published"} 1')
    expect(runs).toContain('countinghouse_sync_runs_total{category="Accounting",result="unchanged"} 1')
    expect(runs).toContain('countinghouse_sync_runs_total{category="Banking",result="published"} 0')
    expect(await linesOf('countinghouse_sync_duration_seconds')).toContain(
      'countinghouse_sync_duration_seconds_count{category="Accounting"} 2',
    )
  })

  it('that resumes after a fault is counted once, when it has ended', async () => {
    books.faults = [new SourceError('unavailable', 'HTTP 503')]
    await syncHarness.sync(connectionId)
    const published = 'countinghouse_sync_runs_total{category="Accounting",result="published"}'
    expect(await linesOf('countinghouse_sync_runs_total')).toContain(`${published} 0`)
    await syncHarness.sync(connectionId, { attempt: 2 })
    expect(await linesOf('countinghouse_sync_runs_total')).toContain(`${published} 1`)
  })

  it('that is abandoned is counted as failed', async () => {
    books.faults = [new SourceError('unavailable', 'HTTP 503')]
    await syncHarness.sync(connectionId, { attempt: MAX_ATTEMPTS })
    expect(await linesOf('countinghouse_sync_runs_total')).toContain(
      'countinghouse_sync_runs_total{category="Accounting",result="failed"} 1',
    )
  })
})

describe('a webhook delivery', () => {
  let harness: WebhookHarness
  let dispatcher: Dispatcher
  let aheadMs: number
  beforeEach(async () => {
    harness = await openWebhookHarness()
    aheadMs = 0
    const clock = { aheadMs: () => aheadMs }
    dispatcher = new Dispatcher({ ...harness.deps, egress: harness.egress, log: SILENT, clock, onAttempt: work.countDelivery })
  })
  afterEach(async () => await harness.close())

  it('is counted by the result of each attempt', async () => {
    for (const status of [200, 503, 410]) {
      const receiver = await harness.receive((_request, response) => response.writeHead(status).end())
      await harness.subscribeTo(receiver.url)
    }
    await harness.raise()
    await dispatcher.runOnce()
    expect(await linesOf('countinghouse_webhook_deliveries_total')).toEqual([
      'countinghouse_webhook_deliveries_total{result="delivered"} 1',
      'countinghouse_webhook_deliveries_total{result="retried"} 1',
      'countinghouse_webhook_deliveries_total{result="failed"} 0',
      'countinghouse_webhook_deliveries_total{result="gone"} 1',
    ])
  })

  it('that succeeds in a later attempt has the delay from its event', async () => {
    const receiver = await harness.receive((_request, response, count) => response.writeHead(count === 1 ? 503 : 200).end())
    await harness.subscribeTo(receiver.url)
    await harness.raise()
    await dispatcher.runOnce()
    aheadMs = 2 * HOUR_MS
    await dispatcher.runOnce()
    const delays = await linesOf('countinghouse_webhook_delay_seconds')
    expect(delays).toContain('countinghouse_webhook_delay_seconds_bucket{le="1800"} 0')
    expect(delays).toContain('countinghouse_webhook_delay_seconds_bucket{le="10800"} 1')
  })

  it('that is repeated has no second delay, even after a failed attempt', async () => {
    const receiver = await harness.receive((_request, response, count) => response.writeHead(count === 2 ? 503 : 200).end())
    await harness.subscribeTo(receiver.url)
    const eventId = await harness.raise()
    await dispatcher.runOnce()
    await replayEvent(harness.deps, harness.instanceId, eventId, { mayReadAudit: true })
    await dispatcher.runOnce()
    aheadMs = HOUR_MS
    await dispatcher.runOnce()
    expect(await linesOf('countinghouse_webhook_deliveries_total')).toContain(
      'countinghouse_webhook_deliveries_total{result="delivered"} 2',
    )
    expect(await linesOf('countinghouse_webhook_delay_seconds')).toContain('countinghouse_webhook_delay_seconds_count 1')
  })

  it('waits until it is due, or for another attempt, and no longer once its subscription is disabled', async () => {
    registerCountMetrics(registry, harness.test.database)
    const away = await harness.receive((_request, response) => response.writeHead(503).end())
    await harness.subscribeTo(away.url)
    const gone = await harness.receive((_request, response) => response.writeHead(410).end())
    await harness.subscribeTo(gone.url)
    await harness.raise()
    await dispatcher.runOnce()
    expect(await linesOf('countinghouse_webhook_deliveries_waiting')).toEqual([
      'countinghouse_webhook_deliveries_waiting{state="due"} 0',
      'countinghouse_webhook_deliveries_waiting{state="later"} 1',
    ])
  })
})

describe('a mail', () => {
  let syncHarness: MailHarness
  beforeEach(async () => {
    syncHarness = await openMailHarness()
  })
  afterEach(async () => await syncHarness.close())

  const send = async (mailId: string): Promise<void> => {
    const { database, sealer, smtp, instanceId } = syncHarness
    await sendMail({ database, sealer, transport: smtp.post, onAttempt: work.countMail }, { instanceId, mailId })
  }

  it('is counted by the result of each attempt', async () => {
    await send(await syncHarness.queue())
    syncHarness.smtp.refusals.push({ code: 550, text: 'nobody here' }, { code: 451, text: 'try later' })
    await send(await syncHarness.queue())
    await send(await syncHarness.queue())
    expect(await linesOf('countinghouse_mails_total')).toEqual([
      'countinghouse_mails_total{result="sent"} 1',
      'countinghouse_mails_total{result="retried"} 1',
      'countinghouse_mails_total{result="refused"} 1',
      'countinghouse_mails_total{result="failed"} 0',
    ])
  })

  it('waits until it is sent', async () => {
    registerCountMetrics(registry, syncHarness.database)
    await send(await syncHarness.queue())
    await syncHarness.queue()
    expect(await linesOf('countinghouse_mails_waiting')).toEqual(['countinghouse_mails_waiting 1'])
  })
})
