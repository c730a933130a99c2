import { Counter, Gauge, type Registry } from 'prom-client'
import { FALLBACK_REASONS, type FallbackReason } from '../store/db/replicas/replica-read.ts'
import type { ReplicaState } from '../store/db/replicas/replica-server.ts'

/** Counters of reads that replicas may answer. */
export interface ReplicaCounts {
  /** A statement was answered by a replica, by its place in the setting, from 1. */
  countAnswer(place: number): void
  /** The primary answered after all; `none`: no replica could be asked. */
  countFallback(reason: FallbackReason | 'none'): void
}

export function registerReplicaCounts(metrics: Registry, replicas: number): ReplicaCounts {
  const registers = [metrics]
  const answers = new Counter({
    name: 'countinghouse_replica_statements_total',
    help: 'Statements of reads that a replica answered, by its place in DATABASE_READ_URL',
    labelNames: ['replica'],
    registers,
  })
  const fallbacks = new Counter({
    name: 'countinghouse_replica_fallbacks_total',
    help: 'Reads that the primary answered although replicas may, by reason; none: no replica could be asked',
    labelNames: ['reason'],
    registers,
  })
  for (let place = 1; place <= replicas; place += 1) answers.inc({ replica: String(place) }, 0)
  for (const reason of [...FALLBACK_REASONS, 'none']) fallbacks.inc({ reason }, 0)
  return {
    countAnswer: (place) => answers.inc({ replica: String(place) }),
    countFallback: (reason) => fallbacks.inc({ reason }),
  }
}

/** Gauges of the replicas as this process last saw them; no database query. */
export function registerReplicaStates(metrics: Registry, states: () => readonly ReplicaState[]): void {
  const registers = [metrics]
  const of = (gauge: Gauge, value: (state: ReplicaState) => number | null): void => {
    gauge.reset()
    for (const [at, state] of states().entries()) {
      const found = value(state)
      if (found !== null) gauge.set({ replica: String(at + 1) }, found)
    }
  }
  new Gauge({
    name: 'countinghouse_replica_serving',
    help: 'Whether a replica answers reads of this process: 1, or 0 while it is left alone',
    labelNames: ['replica'],
    registers,
    collect() {
      of(this, ({ phase }) => (phase === 'serving' ? 1 : 0))
    },
  })
  new Gauge({
    name: 'countinghouse_replica_lag_seconds',
    help: 'How long ago what a replica shows was written, when it was last asked; missing where it does not tell',
    labelNames: ['replica'],
    registers,
    collect() {
      of(this, ({ lagMs }) => (lagMs === null ? null : lagMs / 1_000))
    },
  })
}
