import { withinInstance } from '../instance-scope.ts'
import type { Position } from './positions.ts'
import type { Replicas } from './replicas.ts'

/** Runs one read of several, in the scope of an instance. */
export type PinnedReads = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Reads, one after the other, of what no longer changes: replicas answer them once they have all that was committed before
 * the first. To be called after the primary has shown what is read.
 */
export function pinnedReads(replicas: Replicas | undefined, instanceId: string): PinnedReads {
  if (replicas === undefined) return (work) => withinInstance(instanceId, work)
  let pin: Position | null = null
  return async (work) => {
    pin ??= await replicas.pin()
    const reached = pin
    return await withinInstance(instanceId, () => replicas.readPinned(instanceId, reached, work))
  }
}
