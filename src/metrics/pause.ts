import { Gauge, type Registry } from 'prom-client'

/** Gauge of the deployment's pause. */
export function registerPauseMetric(metrics: Registry, isPaused: () => boolean): void {
  new Gauge({
    name: 'countinghouse_paused',
    help: '1 while the deployment is paused and takes no jobs, calls no sources and sends nothing; otherwise 0',
    registers: [metrics],
    collect() {
      this.set(isPaused() ? 1 : 0)
    },
  })
}
