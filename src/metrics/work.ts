import { Counter, Histogram, type Registry } from 'prom-client'
import { SEALED_COLUMNS } from '../store/keys/sealed-columns.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const RUN_RESULTS = ['published', 'unchanged', 'failed'] as const
const CATEGORIES = ['Accounting', 'Banking'] as const
const DELIVERY_RESULTS = ['delivered', 'retried', 'failed', 'gone'] as const
const SCAN_RESULTS = ['clean', 'found', 'tooLarge', 'unavailable'] as const
const MAIL_RESULTS = ['sent', 'retried', 'refused', 'failed'] as const

/** Counters of this process since its start; called after the commit of what they count. */
export interface WorkMetrics {
  countRun(run: { category: (typeof CATEGORIES)[number]; result: (typeof RUN_RESULTS)[number]; seconds: number }): void
  /** `delaySeconds`: from the event to its first successful delivery; null for any other attempt. */
  countDelivery(attempt: { result: (typeof DELIVERY_RESULTS)[number]; delaySeconds: number | null }): void
  countMail(result: (typeof MAIL_RESULTS)[number]): void
  /** `status`: HTTP status of the answer; null: none came. */
  countSourceCall(connectorKey: string, status: number | null): void
  /** One malware scan of a file. */
  countScan(result: (typeof SCAN_RESULTS)[number]): void
  countUnsealFailure(table: string): void
  /** Rows deleted because their retention period was over. */
  countExpired(kind: string, count: number): void
}

/**
 * Counters of syncs, webhook deliveries and mails of this process by result. Each result is exported from the start, as
 * 0, so that its first increase is visible.
 */
export function registerWorkMetrics(metrics: Registry): WorkMetrics {
  const registers = [metrics]
  return {
    countRun: registerRuns(registers),
    countDelivery: registerDeliveries(registers),
    countMail: registerMails(registers),
    countSourceCall: registerSourceCalls(registers),
    countScan: registerScans(registers),
    countUnsealFailure: registerUnsealFailures(registers),
    countExpired: registerExpired(registers),
  }
}

function registerRuns(registers: Registry[]): WorkMetrics['countRun'] {
  const runs = new Counter({
    name: 'countinghouse_sync_runs_total',
    help: 'Sync runs finished by this process, by result and category of the connector; failed: given up until the next schedule or reconnect',
    labelNames: ['category', 'result'],
    registers,
  })
  const durations = new Histogram({
    name: 'countinghouse_sync_duration_seconds',
    help: 'Time from the start of a finished sync run to its end, with waits for the source and between attempts',
    labelNames: ['category'],
    buckets: [0.5, 1, 2.5, 5, 10, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR],
    registers,
  })
  for (const category of CATEGORIES) {
    durations.zero({ category })
    for (const result of RUN_RESULTS) runs.inc({ category, result }, 0)
  }
  return ({ category, result, seconds }) => {
    runs.inc({ category, result })
    durations.observe({ category }, seconds)
  }
}

function registerDeliveries(registers: Registry[]): WorkMetrics['countDelivery'] {
  const deliveries = new Counter({
    name: 'countinghouse_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook by result; retried: failed and due again, failed: the last of its schedule, gone: HTTP 410',
    labelNames: ['result'],
    registers,
  })
  const delays = new Histogram({
    name: 'countinghouse_webhook_delay_seconds',
    help: 'Time from an event to its first successful delivery to a subscription',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, MINUTE, 5 * MINUTE, 30 * MINUTE, 3 * HOUR, 12 * HOUR, DAY, 3 * DAY],
    registers,
  })
  for (const result of DELIVERY_RESULTS) deliveries.inc({ result }, 0)
  return ({ result, delaySeconds }) => {
    deliveries.inc({ result })
    if (delaySeconds !== null) delays.observe(delaySeconds)
  }
}

function registerMails(registers: Registry[]): WorkMetrics['countMail'] {
  const mails = new Counter({
    name: 'countinghouse_mails_total',
    help: 'Attempts to send a mail by result; retried: not taken and due again, refused: never to be taken, failed: the last of many tries',
    labelNames: ['result'],
    registers,
  })
  for (const result of MAIL_RESULTS) mails.inc({ result }, 0)
  return (result) => mails.inc({ result })
}

function registerScans(registers: Registry[]): WorkMetrics['countScan'] {
  const scans = new Counter({
    name: 'countinghouse_malware_scans_total',
    help: 'Malware scans of uploaded files by result; tooLarge: longer than clamd takes, unavailable: no answer of clamd; all but clean refuse the file',
    labelNames: ['result'],
    registers,
  })
  for (const result of SCAN_RESULTS) scans.inc({ result }, 0)
  return (result) => scans.inc({ result })
}

function registerSourceCalls(registers: Registry[]): WorkMetrics['countSourceCall'] {
  const calls = new Counter({
    name: 'countinghouse_source_calls_total',
    help: 'HTTP calls to sources, by connector and class of the status; 429: asked to slow down, none: no answer',
    labelNames: ['connector', 'result'],
    registers,
  })
  return (connector, status) => calls.inc({ connector, result: toCallResult(status) })
}

function registerUnsealFailures(registers: Registry[]): WorkMetrics['countUnsealFailure'] {
  const failures = new Counter({
    name: 'countinghouse_unseal_failures_total',
    help: 'Sealed values that could not be opened, by table: changed, or sealed with a key that is not among the keys',
    labelNames: ['table'],
    registers,
  })
  for (const table of new Set(SEALED_COLUMNS.map((column) => column.table))) failures.inc({ table }, 0)
  return (table) => failures.inc({ table })
}

function registerExpired(registers: Registry[]): WorkMetrics['countExpired'] {
  const expired = new Counter({
    name: 'countinghouse_expired_rows_total',
    help: 'Rows deleted by this process because their retention period was over',
    labelNames: ['kind'],
    registers,
  })
  return (kind, count) => expired.inc({ kind }, count)
}

function toCallResult(status: number | null): string {
  if (status === null) return 'none'
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`
}
