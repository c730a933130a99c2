import type { Job } from '../store/jobs/jobs.ts'
import { withinLogScope } from '../tracing/log-scope.ts'
import { inSpan } from '../tracing/spans.ts'

/** Runs one attempt within a span, and its log lines with the job's id. A job that no request queued begins a trace. */
export async function inJobSpan<T>({ id, instanceId, kind, attempts, traceParent = null }: Job, work: () => Promise<T>): Promise<T> {
  const facts = {
    'countinghouse.job.id': id,
    'countinghouse.job.kind': kind,
    'countinghouse.job.attempt': attempts,
    'countinghouse.instance.id': instanceId,
  }
  const span = { name: `job ${kind}`, kind: 'consumer', parent: { traceParent }, facts } as const
  return await withinLogScope({ jobId: id }, () => inSpan(span, work))
}
