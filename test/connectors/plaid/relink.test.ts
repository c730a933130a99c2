import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConnectorDescription, Grant } from '../../../src/connectors/contract/contract.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { plaid } from '../../../src/connectors/plaid/index.ts'
import { toChildServiceId, toServiceId } from '../../../src/model/catalogue.ts'
import { EntityMismatch } from '../../../src/sync/authorize/grant.ts'
import { runsOf } from '../../harness/app/runs.ts'
import { authorize, readAccounts, readMovements } from '../../reconnect/owner.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { BANK, type Harness, link, openHarness } from './harness.ts'

let harness: Harness
let syncHarness: SyncHarness
/** Result of the owner's next flow through Plaid. */
let grant: Grant

beforeEach(async () => {
  harness = await openHarness()
  syncHarness = await openSyncHarness([], [linkedPlaid], undefined, { plaid: harness.kit })
  syncHarness.deps.readLeaseMs = 0
})
afterEach(async () => {
  await syncHarness.close()
  await harness.close()
})

/** Plaid without its pages, which the harness has passed already. */
const linkedPlaid: ConnectorDescription = {
  ...plaid,
  link: 'form',
  load: async () => ({ ...plaidConnector, authorize: { step: 'form', fields: [], submit: async () => grant } }),
}

const scope = () => ({
  instanceId: syncHarness.instanceId,
  companyId: syncHarness.companyId,
  serviceId: toChildServiceId(syncHarness.instanceId, 'plaid', BANK),
})

/** The owner signs in at the bank again: a new item with new ids. `change` runs before we read it. */
async function relink(change: (itemId: string) => void = () => undefined): Promise<string> {
  grant = await link(harness)
  change(grant.reference ?? '')
  const id = await authorize(syncHarness.deps, { ...scope(), serviceId: toServiceId('plaid') })
  expect(await syncHarness.sync(id)).toEqual({ done: true })
  return id
}

/** Removes persistent ids, which most banks do not have. */
function withoutPersistentIds(itemId: string): void {
  for (const { accountId } of accountsOf(itemId)) harness.simulator.editAccount(itemId, accountId, { persistentId: null })
}

function accountsOf(itemId: string) {
  return harness.simulator.items().find((item) => item.itemId === itemId)?.accounts ?? []
}

const names = async () => (await readAccounts(syncHarness.deps, scope())).map(({ origId, accountNumber }) => `${origId} ${accountNumber}`)
const movements = async () => (await readMovements(syncHarness.deps, scope())).map(({ id, accountOrigId }) => `${id} ${accountOrigId}`)

describe('a bank linked again at Plaid, as another item with other ids', () => {
  it.each([
    ['with', () => undefined],
    ['without', withoutPersistentIds],
  ])('continues with its accounts and transactions, %s persistent ids', async (_name, change) => {
    const id = await relink(change)
    const before = [await names(), await movements()]
    expect([before[0]?.length, (before[1]?.length ?? 0) > 1_000]).toEqual([7, true])
    expect(await relink(change)).toBe(id)
    const items = harness.simulator.items()
    expect(items[0]?.accounts[0]?.accountId).not.toBe(items[1]?.accounts[0]?.accountId)
    expect([await names(), await movements()]).toEqual(before)
    const [run] = await runsOf(syncHarness, id, 1)
    expect(run).toMatchObject({ reason: 'reconnect', counts: { reidentified: 7, unclear: 0 } })
  })

  it('continues with an account that was renamed in the meantime, and starts over with one that lost its mask and cannot be identified', async () => {
    const id = await relink(withoutPersistentIds)
    const before = await names()
    await relink((itemId) => {
      withoutPersistentIds(itemId)
      for (const { accountId, role } of accountsOf(itemId)) {
        if (role === 'checking') harness.simulator.editAccount(itemId, accountId, { name: 'Tout-aller', officialName: 'Compte d’affaires' })
        if (role === 'savings') harness.simulator.editAccount(itemId, accountId, { mask: null })
      }
    })
    const after = await names()
    expect([after.length, after.filter((name) => before.includes(name)).length]).toEqual([7, 6])
    expect((await readAccounts(syncHarness.deps, scope())).map(({ accountName }) => accountName)).toContain('Compte d’affaires')
    expect((await movements()).length, 'nothing is told twice').toBe(
      harness.simulator.items()[1]?.transactions.filter(({ removedAt }) => removedAt === null).length,
    )
    expect((await runsOf(syncHarness, id, 1))[0]?.counts.reidentified).toBe(6)
  })

  it('is refused if the login shows other accounts of the same bank, named by their last digits', async () => {
    await relink()
    const before = [await names(), await movements()]
    const other = relink((itemId) => {
      for (const [i, { accountId }] of accountsOf(itemId).entries())
        harness.simulator.editAccount(itemId, accountId, { persistentId: null, mask: `77${i}0` })
    })
    await expect(other).rejects.toThrow(EntityMismatch)
    await expect(other).rejects.toMatchObject({ now: expect.stringContaining('••••7700') })
    expect([await names(), await movements()]).toEqual(before)
  })
})
