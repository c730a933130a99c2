import { randomUUID } from 'node:crypto'
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Registry } from 'prom-client'
import { installTracer, type Parent, type Span, type Tracer } from '../../tracing/spans.ts'
import type { TelemetrySettings } from '../settings/telemetry-settings.ts'
import { RegistryProducer } from './registry-producer.ts'

const MAX_VALUE_LETTERS = 256
const WARNING_EVERY_MS = 60_000
/** A stop leaves time for the rest of the process. */
const FLUSH_MS = 3_000

interface TelemetryParts {
  /** Version and role of this process. */
  facts: { version: string; role: string }
  metrics: Registry
  /** Called with the reason of a failed export, at most once a minute. */
  onFailure(message: string): void
}

/** Exports spans and metrics by OTLP. The returned function flushes and stops. */
export function startOpenTelemetry(settings: TelemetrySettings, parts: TelemetryParts): () => Promise<void> {
  reportFailures(parts.onFailure)
  const resource = resourceOf(parts.facts)
  const stops: (() => Promise<void>)[] = []
  if (settings.tracesUrl !== null) stops.push(startTraces(settings.tracesUrl, settings, resource))
  if (settings.metricsUrl !== null) stops.push(startMetrics(settings.metricsUrl, settings, parts.metrics, resource))
  return async () => {
    installTracer(null)
    const stopped = Promise.allSettled(stops.map((stop) => stop()))
    const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())
    await Promise.race([stopped, late])
  }
}

function startTraces(url: string, { sampler, spanDelayMs }: TelemetrySettings, resource: Resource): () => Promise<void> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const ids = new AheadIds()
  const decides = samplerOf(sampler.name, sampler.ratio)
  const provider = new TracerProvider({
    resource,
    sampler: decides,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LETTERS },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }), scheduledDelayMillis: spanDelayMs })],
  })
  installTracer(tracerOf(provider.getTracer('countinghouse'), decides, ids))
  return () => provider.shutdown()
}

function startMetrics(url: string, { metricIntervalMs }: TelemetrySettings, metrics: Registry, resource: Resource): () => Promise<void> {
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url }),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(metricIntervalMs, 30_000),
    metricProducers: [new RegistryProducer(metrics)],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return () => provider.shutdown()
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come last. Nothing is read of the host or the command line. */
function resourceOf({ version, role }: TelemetryParts['facts']): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'countinghouse',
        'service.version': version,
        'service.instance.id': randomUUID(),
        'countinghouse.role': role,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }))
}

function samplerOf(name: TelemetrySettings['sampler']['name'], ratio: number): Sampler {
  if (name.startsWith('parentbased_')) return new ParentBasedSampler({ root: rootSamplerOf(name.slice('parentbased_'.length), ratio) })
  return rootSamplerOf(name, ratio)
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler()
  return name === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio)
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** Id generator whose next trace id can be drawn in advance: a sampler decides by it before the span exists. */
class AheadIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #ahead: string | null = null

  drawAhead(): string {
    this.#ahead = this.#random.generateTraceId()
    return this.#ahead
  }

  generateTraceId(): string {
    const drawn = this.#ahead ?? this.#random.generateTraceId()
    this.#ahead = null
    return drawn
  }

  generateSpanId(): string {
    return this.#random.generateSpanId()
  }
}

function tracerOf(tracer: OtelTracer, sampler: Sampler, ids: AheadIds): Tracer {
  const open: Tracer['open'] = (name, kind, parent, facts) => {
    const within = contextOf(parent)
    return toSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...facts } }, within), within)
  }
  return {
    open,
    openLeaf: (kind, traceParent, describe) => {
      if (traceParent === null) {
        const { decision } = sampler.shouldSample(ROOT_CONTEXT, ids.drawAhead(), '', KINDS[kind], {}, [])
        if (decision === SamplingDecision.NOT_RECORD) {
          // Consumes the id: the next trace must not inherit one that the sampler has refused.
          ids.generateTraceId()
          return null
        }
      }
      const { name, facts } = describe()
      return open(name, kind, { traceParent }, facts)
    },
    traceParent: () => {
      const span = trace.getSpan(context.active())?.spanContext()
      return span ? `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}` : null
    },
  }
}

/** A `traceparent` that cannot be read begins a new trace. */
function contextOf(parent: Parent): Context {
  if (parent === 'current') return context.active()
  const remote = parent.traceParent === null ? null : parseTraceParent(parent.traceParent)
  return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT
}

function toSpan(span: OtelSpan, within: Context): Span {
  return {
    set: (facts) => void span.setAttributes({ ...facts }),
    end: (failure) => {
      if (failure !== undefined) {
        span.setAttribute('error.type', failure instanceof Error ? failure.name : 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
    run: (work) => context.with(trace.setSpan(within, span), work),
  }
}

/**
 * NOTE the libraries' messages contain responses and addresses of the collector, so only the fact of a failure is
 * reported.
 */
function reportFailures(onFailure: (message: string) => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (): void => {
    if (performance.now() - reportedAt < WARNING_EVERY_MS) return
    reportedAt = performance.now()
    onFailure('traces or metrics could not be exported by OTLP')
  }
  const ignore = (): void => undefined
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
}
