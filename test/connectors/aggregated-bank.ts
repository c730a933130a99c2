import type { ConnectorDescription, Kit } from '../../src/connectors/contract/contract.ts'
import { toChildServiceId, toServiceId } from '../../src/model/catalogue.ts'
import { linkByRedirect } from '../harness/app/owner-link.ts'
import { readAccounts, readMovements } from '../reconnect/owner.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'

type Walk = Parameters<typeof linkByRedirect>[2]

/** One bank behind an aggregator, linked and read by the engine. */
export interface AggregatedBank {
  syncHarness: SyncHarness
  /** Scope of the company at the bank's child service. */
  scope: { instanceId: string; companyId: string; serviceId: string }
  /** The owner's steps from the link to the aggregator's pages and back; returns the connection's id. */
  authorize(serviceId: string, walk: Walk): Promise<string>
  /** Links the bank again and syncs it; returns the connection's id. */
  connect(walk: Walk): Promise<string>
  /** Ids and numbers of the accounts visible to readers. */
  names(): Promise<string[]>
  /** Ids of the transactions visible to readers, sorted. */
  movements(): Promise<string[]>
  close(): Promise<void>
}

export async function openAggregatedBank(
  { description, kit }: { description: ConnectorDescription; kit: Kit },
  institutionId: string,
): Promise<AggregatedBank> {
  const { key } = description
  const syncHarness = await openSyncHarness([], [description], undefined, { [key]: kit })
  const { deps, instanceId, companyId } = syncHarness
  deps.readLeaseMs = 0
  const scope = { instanceId, companyId, serviceId: toChildServiceId(instanceId, key, institutionId) }

  async function authorize(serviceId: string, walk: Walk): Promise<string> {
    const bank = serviceId === toServiceId(key) ? { institutionId } : {}
    const { connectionId } = await linkByRedirect(deps, { ...scope, serviceId }, walk, bank)
    return connectionId
  }

  return {
    syncHarness,
    scope,
    authorize,
    connect: async (walk) => {
      const connectionId = await authorize(toServiceId(key), walk)
      const outcome = await syncHarness.sync(connectionId)
      if (!outcome.done) throw new Error('the bank was not synced')
      return connectionId
    },
    names: async () => (await readAccounts(deps, scope)).map(({ origId, accountNumber }) => `${origId} ${accountNumber}`),
    movements: async () => (await readMovements(deps, scope)).map(({ id }) => id).sort(),
    close: () => syncHarness.close(),
  }
}
