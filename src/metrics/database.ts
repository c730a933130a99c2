import { Gauge, type Registry } from 'prom-client'
import { statusName } from '../model/statuses.ts'
import { countConnections } from '../store/connections/connection-counts.ts'
import type { Database } from '../store/db/database.ts'
import { countWaitingMails } from '../store/mail/mails.ts'
import { countWaitingDeliveries } from '../store/webhooks/deliveries.ts'
import { atMostEvery } from './at-most-every.ts'

/** What waits is counted row by row, connections as far as 10,000 of a status. */
const COUNTED_EVERY_MS = 30_000

/** Gauges of connections, deliveries and mails of all instances, counted in the database every 30 seconds at most. */
export function registerCountMetrics(metrics: Registry, database: Database): void {
  const registers = [metrics]
  const connections = new Gauge({
    name: 'countinghouse_connections',
    help: 'Connections by status, counted every 30 seconds at most; above 10,000 of a status as PostgreSQL estimates them',
    labelNames: ['status'],
    registers,
    collect: atMostEvery(COUNTED_EVERY_MS, async () => {
      const counts = await countConnections(database)
      connections.reset()
      for (const { status, count } of counts) connections.set({ status: statusName(status) }, count)
    }),
  })
  const deliveries = new Gauge({
    name: 'countinghouse_webhook_deliveries_waiting',
    help: 'Webhook deliveries to active subscriptions that wait, counted every 30 seconds at most; due: for now, later: for another attempt',
    labelNames: ['state'],
    registers,
    collect: atMostEvery(COUNTED_EVERY_MS, async () => {
      const { due, later, lagSeconds } = await countWaitingDeliveries(database)
      deliveries.set({ state: 'due' }, due)
      deliveries.set({ state: 'later' }, later)
      lag.set(lagSeconds)
    }),
  })
  const lag = new Gauge({
    name: 'countinghouse_webhook_delivery_lag_seconds',
    help: 'How long the longest due webhook delivery has waited, counted every 30 seconds at most',
    registers,
  })
  const mails = new Gauge({
    name: 'countinghouse_mails_waiting',
    help: 'Mails that are queued or wait for another try, counted every 30 seconds at most',
    registers,
    collect: atMostEvery(COUNTED_EVERY_MS, async () => {
      mails.set(await countWaitingMails(database))
    }),
  })
}

/** Gauges of this process' connection pool; no database query. */
export function registerPoolMetrics(metrics: Registry, pool: Database): void {
  const gauges = {
    countinghouse_database_pool_connections: ['Open connections to PostgreSQL of this process', () => pool.totalCount],
    countinghouse_database_pool_idle_connections: ['Open connections to PostgreSQL of this process that nobody uses', () => pool.idleCount],
    countinghouse_database_pool_max_connections: ['Connections to PostgreSQL that this process opens at most', () => pool.options.max],
    countinghouse_database_pool_waiting_requests: [
      'Requests of this process that wait for a connection to PostgreSQL',
      () => pool.waitingCount,
    ],
  } as const
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read())
      },
    })
  }
}
