import { withinInstance } from '../instance-scope.ts'
import type { LogPin, Replicas } from './replicas.ts'

/** Runs one read of several, in the scope of an instance. */
export type PinnedReads = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Consecutive reads of data that no longer changes. A replica may answer them once it has everything that was committed
 * before the first one. Call it after the primary has shown what is to be read.
 */
export function pinnedReads(replicas: Replicas | undefined, instanceId: string): PinnedReads {
  if (replicas === undefined) return (work) => withinInstance(instanceId, work)
  let pin: LogPin | null = null
  return async (work) => {
    // Without an epoch, as before the first mark, no replica could ever prove it.
    if (pin === null || pin.epoch === null) pin = await replicas.pin()
    const taken = pin
    return await withinInstance(instanceId, () => replicas.readPinned(instanceId, taken, work))
  }
}
