import { expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const telemetryOf = (env: Record<string, string>) => readConfig(env, []).telemetry

it('telemetry is off unless an endpoint is named', () => {
  expect(telemetryOf({})).toBe(null)
  expect(telemetryOf({ OTEL_TRACES_SAMPLER: 'always_on' })).toBe(null)
  expect(telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' })).toBe(null)
})

it('an endpoint is for traces and metrics, each of which may have its own or none', () => {
  expect(telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' })).toEqual({
    tracesUrl: 'http://collector:4318/v1/traces',
    metricsUrl: 'http://collector:4318/v1/metrics',
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    spanDelayMs: 5_000,
    metricIntervalMs: 60_000,
  })
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in', OTEL_METRICS_EXPORTER: 'none' }
  expect(telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', ...own })).toMatchObject({
    tracesUrl: 'https://traces.example/in',
    metricsUrl: null,
  })
  expect(telemetryOf({ ...own, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' })?.sampler).toEqual({
    name: 'parentbased_traceidratio',
    ratio: 0.01,
  })
})

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'is not an http or https address'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@collector:4318', 'without a password; use OTEL_EXPORTER_OTLP_HEADERS'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'parentbased_traceidratio'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'otlp'],
])('a fault in %s=%s is told', (name, value, told) => {
  const read = () => readConfig({ [name]: value }, [])
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(told)
})
