import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../store/db/database.ts'
import { listAlarms } from '../store/sources/source-alarms.ts'
import { listBreakerStates } from '../store/sources/source-breakers.ts'
import { scanLimitUse } from '../store/sources/source-limits.ts'

/** Ordered by severity: alerts fire above 0. */
const STATES = { closed: 0, 'half-open': 1, open: 2 } as const

/** State of sources for all processes, queried on scrape. */
export function registerSourceMetrics(metrics: Registry, database: Database): void {
  const registers = [metrics]
  new Gauge({
    name: 'countinghouse_source_breaker',
    help: '0 closed, 1 half-open (being tried), 2 open: the source fails and is left alone; addresses of customers together are place other',
    labelNames: ['connector', 'place'],
    registers,
    async collect() {
      const worst = new Map<string, { labels: { connector: string; place: string }; state: number }>()
      for (const { connectorKey, endpoint, state } of await listBreakerStates(database)) {
        const labels = { connector: connectorKey, place: endpoint.startsWith('~') ? 'other' : endpoint }
        const key = JSON.stringify(labels)
        worst.set(key, { labels, state: Math.max(STATES[state], worst.get(key)?.state ?? 0) })
      }
      this.reset()
      for (const { labels, state } of worst.values()) this.set(labels, state)
    },
  })
  new Gauge({
    name: 'countinghouse_source_refuses_keys',
    help: '1 for each source that refuses the keys in sources.json',
    labelNames: ['connector'],
    registers,
    async collect() {
      const connectors = await listAlarms(database)
      this.reset()
      for (const connector of connectors) this.set({ connector }, 1)
    },
  })
  const scan = scanLimitUse(database)
  new Gauge({
    name: 'countinghouse_source_calls_left',
    help: 'Calls left of a limit of a source; the fewest of all books where it counts for each by itself, 10,000 of which are looked at by each scrape',
    labelNames: ['connector', 'limit'],
    registers,
    async collect() {
      const uses = await scan()
      this.reset()
      for (const { connectorKey, name, remaining } of uses) this.set({ connector: connectorKey, limit: name }, remaining)
    },
  })
}

/** Waiting calls of this process. */
export function registerWaitingCalls(metrics: Registry, waiting: () => ReadonlyMap<string, number>): void {
  new Gauge({
    name: 'countinghouse_source_calls_waiting',
    help: 'Calls of this process that wait for a limit, a pause or a breaker',
    labelNames: ['connector'],
    registers: [metrics],
    collect() {
      for (const [connector, count] of waiting()) this.set({ connector }, count)
    },
  })
}
