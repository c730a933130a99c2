import type { Registry } from 'prom-client'
import { RELEASE } from '../../model/release.ts'
import type { Config } from '../settings/config.ts'

/** Exports traces and metrics where the settings name an endpoint; only then are the OpenTelemetry libraries loaded. */
export async function startTelemetry(
  { telemetry, role }: Pick<Config, 'telemetry' | 'role'>,
  { metrics, log, closers }: { metrics: Registry; log: { warn(message: string): void }; closers: (() => Promise<unknown>)[] },
): Promise<void> {
  if (telemetry === null) return
  const { startOpenTelemetry } = await import('./open-telemetry.ts')
  closers.push(
    startOpenTelemetry(telemetry, {
      facts: { version: RELEASE, role },
      metrics,
      onFailure: (message) => log.warn(message),
    }),
  )
}
