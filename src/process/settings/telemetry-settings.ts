import type { ReadSetting } from './limits.ts'
import { InvalidSetting, toOneOf, toWholeNumber } from './setting-values.ts'

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const EXPORTERS = ['otlp', 'none'] as const

/** Export by OTLP. Headers, time limits, compression and resource attributes are read by the OpenTelemetry libraries. */
export interface TelemetrySettings {
  /** Null to export no traces. */
  tracesUrl: string | null
  /** Null to export no metrics by OTLP. */
  metricsUrl: string | null
  sampler: { name: (typeof SAMPLERS)[number]; ratio: number }
  /** Delay of a batch of spans. */
  spanDelayMs: number
  metricIntervalMs: number
}

/**
 * Settings by the variables of OpenTelemetry; null: no endpoint, telemetry is off.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function readTelemetry(read: ReadSetting): TelemetrySettings | null {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', toEndpoint, null, true)
  const urlOf = (signal: 'traces' | 'metrics'): string | null => {
    const name = signal.toUpperCase()
    const own = read(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`, toEndpoint, null, true)
    const exporter = read(`OTEL_${name}_EXPORTER`, (text) => toOneOf(text, EXPORTERS), 'otlp')
    if (exporter === 'none') return null
    return own ?? (endpoint === null ? null : `${endpoint.replace(/\/$/, '')}/v1/${signal}`)
  }
  const settings = {
    tracesUrl: urlOf('traces'),
    metricsUrl: urlOf('metrics'),
    sampler: {
      name: read('OTEL_TRACES_SAMPLER', (text) => toOneOf(text, SAMPLERS), 'parentbased_always_on'),
      ratio: read('OTEL_TRACES_SAMPLER_ARG', toRatio, 1),
    },
    spanDelayMs: read('OTEL_BSP_SCHEDULE_DELAY', toMs, 5_000),
    metricIntervalMs: read('OTEL_METRIC_EXPORT_INTERVAL', toMs, 60_000),
  } as const
  read('OTEL_EXPORTER_OTLP_PROTOCOL', (text) => toOneOf(text, ['http/protobuf']), 'http/protobuf')
  const isDisabled = read('OTEL_SDK_DISABLED', (text) => text.toLowerCase() === 'true', false)
  return isDisabled || (settings.tracesUrl === null && settings.metricsUrl === null) ? null : settings
}

function toEndpoint(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new InvalidSetting('an http or https address')
  if (url.username !== '' || url.password !== '') throw new InvalidSetting('an address without a password; use OTEL_EXPORTER_OTLP_HEADERS')
  return url.href
}

function toMs(text: string): number {
  return toWholeNumber(text, 1, 86_400_000)
}

function toRatio(text: string): number {
  const ratio = Number(text)
  if (text.trim() === '' || !(ratio >= 0 && ratio <= 1)) throw new InvalidSetting('a number from 0 to 1')
  return ratio
}
