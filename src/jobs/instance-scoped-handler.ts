import { withinInstance } from '../store/db/instance-scope.ts'
import type { Handler } from './worker.ts'

/** Work on what belongs to the job's instance, and on nothing else. */
export function instanceScopedHandler(handler: Handler): Handler {
  return async (job, signal) => await withinInstance(job.instanceId, () => handler(job, signal))
}
