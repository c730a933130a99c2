import { withinInstance } from '../store/db/instance-scope.ts'
import type { Handler } from './worker.ts'

/** Runs a handler in the scope of the job's instance. */
export function instanceScopedHandler(handler: Handler): Handler {
  return async (job, signal) => await withinInstance(job.instanceId, () => handler(job, signal))
}
