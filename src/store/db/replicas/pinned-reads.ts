import { withinInstance } from '../instance-scope.ts'
import type { Pin, Replicas } from './replicas.ts'

/** Runs one read of several, in the scope of an instance. */
export type PinnedReads = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Reads, one after the other, of what no longer changes: replicas answer them once they have all that was committed before
 * the first. To be called after the primary has shown what is read.
 */
export function pinnedReads(replicas: Replicas | undefined, instanceId: string): PinnedReads {
  if (replicas === undefined) return (work) => withinInstance(instanceId, work)
  let pin: Pin | null = null
  return async (work) => {
    // Without an epoch, as before the first mark, nothing would ever prove it.
    if (pin === null || pin.epoch === null) pin = await replicas.pin()
    const taken = pin
    return await withinInstance(instanceId, () => replicas.readPinned(instanceId, taken, work))
  }
}
