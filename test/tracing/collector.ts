import { once } from 'node:events'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { until } from '../process/deadline.ts'

/** A span as received. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentId: string
  name: string
  role: string
  attributes: Record<string, string>
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans(): ReceivedSpan[]
  /** Roles and names of the metrics received. */
  metrics(): Set<string>
  /** All bytes received, as text. */
  everything(): string
  /** The spans of a trace, as soon as there is one with each of the names. */
  trace(traceId: () => string | null, names: readonly string[]): Promise<ReceivedSpan[]>
  close(): Promise<void>
}

/** An OTLP collector on loopback that accepts protobuf over HTTP. */
export async function openCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const metrics = new Set<string>()
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const whole = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole
      bodies.push(body)
      if (request.url === '/v1/traces') spans.push(...readSpans(body))
      if (request.url === '/v1/metrics') for (const name of readMetricNames(body)) metrics.add(name)
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans: () => spans,
    metrics: () => metrics,
    everything: () => Buffer.concat(bodies).toString('latin1'),
    trace: async (traceId, names) =>
      await until(
        `spans ${names.join(', ')}`,
        () => {
          const wanted = traceId()
          const found = spans.filter((span) => span.traceId === wanted)
          return names.every((name) => found.some((span) => span.name === name)) ? found : null
        },
        60_000,
      ).catch((error: unknown) => {
        const seen = spans.map((span) => `${span.traceId.slice(0, 6)} ${span.role} ${span.name}`)
        throw new Error(`${String(error)}; trace ${traceId()}; received:\n${seen.join('\n')}`)
      }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Field numbers. Source: https://github.com/open-telemetry/opentelemetry-proto, trace.proto */
function readSpans(body: Buffer): ReceivedSpan[] {
  return listOf(body, 1).flatMap((resourceSpans) => {
    const role = attributesOf(listOf(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1)['countinghouse.role'] ?? ''
    return listOf(resourceSpans, 2).flatMap((scopeSpans) =>
      listOf(scopeSpans, 2).map((span) => ({
        traceId: textOf(span, 1, 'hex'),
        spanId: textOf(span, 2, 'hex'),
        parentId: textOf(span, 4, 'hex'),
        name: textOf(span, 5, 'utf8'),
        role,
        attributes: attributesOf(span, 9),
      })),
    )
  })
}

/** Source: the same, metrics.proto. */
function readMetricNames(body: Buffer): string[] {
  return listOf(body, 1).flatMap((one) => {
    const role = attributesOf(listOf(one, 1)[0] ?? Buffer.alloc(0), 1)['countinghouse.role'] ?? ''
    return listOf(one, 2).flatMap((scope) => listOf(scope, 2).map((metric) => `${role} ${textOf(metric, 1, 'utf8')}`))
  })
}

function attributesOf(message: Buffer, field: number): Record<string, string> {
  return Object.fromEntries(
    listOf(message, field).map((pair) => {
      const value = listOf(pair, 2)[0] ?? Buffer.alloc(0)
      const number = fieldsOf(value).find((one) => one.field === 3)?.number
      return [textOf(pair, 1, 'utf8'), number === undefined ? textOf(value, 1, 'utf8') : String(number)]
    }),
  )
}

function textOf(message: Buffer, field: number, encoding: BufferEncoding): string {
  return listOf(message, field)[0]?.toString(encoding) ?? ''
}

function listOf(message: Buffer, field: number): Buffer[] {
  return fieldsOf(message).flatMap((one) => (one.field === field && one.bytes ? [one.bytes] : []))
}

/** Source: https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Buffer): { field: number; bytes?: Buffer; number?: number }[] {
  const fields: { field: number; bytes?: Buffer; number?: number }[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const key = varint()
    const field = Math.floor(key / 8)
    const type = key % 8
    if (type === 0) fields.push({ field, number: varint() })
    else {
      const length = type === 2 ? varint() : type === 1 ? 8 : 4
      fields.push({ field, bytes: message.subarray(at, at + length) })
      at += length
    }
  }
  return fields
}
