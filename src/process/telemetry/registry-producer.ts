import { type HrTime, ValueType } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { Registry } from 'prom-client'

type Family = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

/** Exports the metrics of `/metrics` by OpenTelemetry, under the same names, so that everything is counted once. */
export class RegistryProducer implements MetricProducer {
  readonly #registry: Registry
  readonly #startTime = millisToHrTime(performance.timeOrigin)

  constructor(registry: Registry) {
    this.#registry = registry
  }

  async collect(): Promise<CollectionResult> {
    const span = { startTime: this.#startTime, endTime: millisToHrTime(performance.timeOrigin + performance.now()) }
    const families = await this.#registry.getMetricsAsJSON()
    const metrics = families.map((family) => toMetric(family, span)).filter((metric) => metric.dataPoints.length > 0)
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: 'countinghouse' }, metrics }] }, errors: [] }
  }
}

interface Interval {
  startTime: HrTime
  endTime: HrTime
}

function toMetric(family: Family, interval: Interval): MetricData {
  const type = String(family.type)
  const descriptor = { name: family.name, description: family.help, unit: unitOf(family.name), valueType: ValueType.DOUBLE }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  if (type === 'histogram') return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(family, interval) }
  const dataPoints = family.values.map(({ labels, value }) => ({ ...interval, attributes: { ...labels }, value }))
  if (type === 'counter') return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
}

/** In the units of UCUM, as OpenTelemetry wants them. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's'
  return name.endsWith('_bytes') ? 'By' : '1'
}

interface Histogram {
  labels: Record<string, string | number>
  sum: number
  count: number
  /** Upper bound and the number of values up to it. */
  upTo: [bound: number, count: number][]
}

function toHistograms(family: Family, interval: Interval): HistogramMetricData['dataPoints'] {
  const found = new Map<string, Histogram>()
  for (const sample of family.values) {
    const { le, ...labels } = sample.labels
    const key = JSON.stringify(Object.entries(labels).toSorted())
    const histogram = found.get(key) ?? { labels: defined(labels), sum: 0, count: 0, upTo: [] }
    found.set(key, histogram)
    const kind = 'metricName' in sample ? String(sample.metricName).slice(family.name.length) : ''
    if (kind === '_sum') histogram.sum = sample.value
    else if (kind === '_count') histogram.count = sample.value
    else if (le !== undefined && le !== '+Inf') histogram.upTo.push([Number(le), sample.value])
  }
  return [...found.values()].map(({ labels, sum, count, upTo }) => {
    const cumulative = [...upTo.map(([, number]) => number), count]
    const counts = cumulative.map((number, index) => number - (cumulative[index - 1] ?? 0))
    const value = { sum, count, buckets: { boundaries: upTo.map(([bound]) => bound), counts } }
    return { ...interval, attributes: labels, value }
  })
}

function defined(labels: Partial<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
