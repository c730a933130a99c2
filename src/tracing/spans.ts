/** Kind of a span, as named by the OpenTelemetry specification. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/**
 * All that a span may say: codes, kinds and ids of ours. NOTE no value of a request, a record or an error message
 * belongs here, because spans leave the deployment.
 */
export interface SpanFacts {
  'http.request.method'?: string
  /** Pattern of the route. */
  'http.route'?: string
  'http.response.status_code'?: number
  /** Name of an error's class. */
  'error.type'?: string
  'countinghouse.request.id'?: string
  'countinghouse.instance.id'?: string
  'countinghouse.connection.id'?: string
  'countinghouse.connector'?: string
  /** Name of a host in the connector's description. */
  'countinghouse.source.host'?: string
  'countinghouse.job.id'?: string
  'countinghouse.job.kind'?: string
  'countinghouse.job.attempt'?: number
  'countinghouse.event.kind'?: string
  'countinghouse.result'?: string
}

export interface Span {
  set(facts: SpanFacts): void
  /** A `failure` marks the span as failed; only the name of its class is kept. */
  end(failure?: unknown): void
  /** Runs work whose spans are children of this one. */
  run<T>(work: () => T): T
}

/** Parent of a span: the work around it, or a W3C `traceparent`; null: none, a new trace begins. */
export type Parent = 'current' | { traceParent: string | null }

export interface Tracer {
  open(name: string, kind: SpanKind, parent: Parent, facts: SpanFacts): Span
  /**
   * Span of work so short that it has no children; null when it is not sampled, which costs next to nothing.
   * `describe` is called only when it is.
   */
  openLeaf(kind: SpanKind, traceParent: string | null, describe: () => { name: string; facts: SpanFacts }): Span | null
  /** W3C `traceparent` of the caller's span; null if there is none. */
  traceParent(): string | null
}

let tracer: Tracer | null = null

/** Installs the tracer of this process; null: no tracing. */
export function installTracer(installed: Tracer | null): void {
  tracer = installed
}

/** Null while tracing is off: costs one comparison. */
export function activeTracer(): Tracer | null {
  return tracer
}

const NO_SPAN: Pick<Span, 'set'> = { set: () => undefined }

/** Runs `work` within a span, which ends with it. */
export async function inSpan<T>(
  options: { name: string; kind?: SpanKind; parent?: Parent; facts?: SpanFacts },
  work: (span: Pick<Span, 'set'>) => Promise<T>,
): Promise<T> {
  if (tracer === null) return await work(NO_SPAN)
  const span = tracer.open(options.name, options.kind ?? 'internal', options.parent ?? 'current', options.facts ?? {})
  try {
    const result = await span.run(() => work(span))
    span.end()
    return result
  } catch (error) {
    span.end(error ?? new Error('unknown'))
    throw error
  }
}

/** Trace context of the caller, to be kept with work that continues later or elsewhere; null: not traced. */
export function currentTraceParent(): string | null {
  return tracer?.traceParent() ?? null
}

/** Parent for work of the trace of `traceParent`: the work around it where that is of the same trace. */
export function parentInTraceOf(traceParent: string | null): Parent {
  return traceParent === null || traceIdOf(traceParent) === traceIdOf(currentTraceParent()) ? 'current' : { traceParent }
}

/** Trace id of a `traceparent`. Source: https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
export function traceIdOf(traceParent: string | null): string | null {
  return traceParent?.split('-')[1] ?? null
}
