import { randomUUID } from 'node:crypto'
import { beforeEach } from 'vitest'
import type { SubscribableEvent } from '../../../src/model/events.ts'
import { type Db, inTransaction } from '../../../src/store/db/database.ts'
import { type ClaimedDelivery, type ClaimRules, claimDeliveries } from '../../../src/store/webhooks/deliveries.ts'
import type { DeliveryMemory } from '../../../src/store/webhooks/delivery-memory.ts'
import { appendWaitingEvents } from '../../../src/store/webhooks/event-feeds.ts'
import { insertSubscription } from '../../../src/store/webhooks/subscriptions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { raiseEvent } from '../../webhooks/harness.ts'
import { storeTenants } from '../stored.ts'

export const rules = (more: Partial<ClaimRules> = {}): ClaimRules => ({
  ...{ leaseMs: 60_000, perSubscription: 5, failuresUntilProbing: 3, pauseMs: 600_000, aheadMs: 0, ...more },
})

interface Claiming extends Partial<ClaimRules> {
  limit?: number
  memory?: DeliveryMemory
  of?: string
  onLost?(count: number): void
}

/** Database with two instances, and without a delivery at the beginning of each test. */
export function deliveriesForTests() {
  const test = databaseForTests()
  const tenants = { instanceId: '', otherId: '' }
  beforeEach(async () => {
    await test.database.query('truncate deliveries, delivery_attempts, events, subscriptions cascade')
    Object.assign(tenants, await storeTenants(test.database))
  })
  const inTx = <T>(work: (db: Db) => Promise<T>) => inTransaction(test.database, work)
  return {
    test,
    tenants,
    inTx,
    subscribe: async (event: SubscribableEvent = 'RawData', of = tenants.instanceId): Promise<string> => {
      const id = randomUUID()
      await insertSubscription(test.database, of, id, { event, callbackUrl: `https://a.example/${id}` })
      return id
    },
    /** Raises events and makes their deliveries; returns the ids of the events. */
    raise: async (count = 1, kind: 'RawData' | 'Error' = 'RawData', of = tenants.instanceId): Promise<string[]> => {
      const ids: string[] = []
      for (let n = 0; n < count; n += 1) ids.push(await raiseEvent(test.database, of, kind))
      await inTx((db) => appendWaitingEvents(db, of))
      return ids
    },
    claim: ({ limit = 10, memory, of = tenants.instanceId, onLost, ...more }: Claiming = {}): Promise<ClaimedDelivery[]> => {
      const lease = { lease: randomUUID(), limit, ...(onLost ? { onLost } : {}) }
      return inTx((db) => claimDeliveries(db, of, lease, rules(more), memory))
    },
  }
}
