import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { fineract } from '../../../src/connectors/fineract/index.ts'
import { helix } from '../../../src/connectors/helix/index.ts'
import { mambu } from '../../../src/connectors/mambu/index.ts'
import { simplefin } from '../../../src/connectors/simplefin/index.ts'
import { createSources } from '../../../src/connectors/sources.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress, type Egress } from '../../../src/egress/egress.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { Status } from '../../../src/model/statuses.ts'
import { findConnection } from '../../../src/store/connections/connections.ts'
import { EntityMismatch } from '../../../src/sync/authorize/grant.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { runSyncJob } from '../../harness/app/jobs.ts'
import { linkByForm } from '../../harness/app/owner-link.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import * as fineractStage from '../fineract/harness.ts'
import * as helixStage from '../helix/harness.ts'
import * as mambuStage from '../mambu/harness.ts'
import * as simplefinStage from '../simplefin/harness.ts'

const NOW = new Date(Date.UTC(2026, 6, 1, 12))

describe('the engine connects, syncs and publishes', () => {
  let syncHarness: SyncHarness
  let deps: SyncDeps
  let egress: Egress
  let harnesses: {
    fineract: fineractStage.Harness
    mambu: mambuStage.Harness
    helix: helixStage.Harness
    simplefin: simplefinStage.Harness
  }

  beforeAll(async () => {
    harnesses = {
      fineract: await fineractStage.openHarness(),
      mambu: await mambuStage.openHarness(),
      helix: await helixStage.openHarness(),
      simplefin: await simplefinStage.openHarness(),
    }
    syncHarness = await openSyncHarness([])
    egress = createEgress({ allowPrivate: true })
    const sources = createSources([fineract, mambu, helix, simplefin], {
      settings: {},
      simulators: { simplefin: { hosts: { bridge: harnesses.simplefin.url } } },
      createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => NOW, allowPrivate: true }),
    })
    deps = { ...syncHarness.deps, sources }
  })
  afterAll(async () => {
    await Promise.all(Object.values(harnesses).map((harness) => harness.close()))
    await syncHarness.close()
    await egress.close()
  })

  async function link({ key }: ConnectorDescription, values: Record<string, string>): Promise<string> {
    const { instanceId, companyId } = syncHarness
    return await linkByForm(deps, { instanceId, companyId, serviceId: toServiceId(key) }, values)
  }

  async function sync(connectionId: string, _id: string): Promise<void> {
    expect(await runSyncJob(deps, { instanceId: syncHarness.instanceId, connectionId }, { reason: 'first' })).toEqual({ done: true })
  }

  /** Numbers of published records of one service, by kind. */
  async function published({ key }: ConnectorDescription): Promise<Record<string, number>> {
    const { rows } = await deps.database.query(
      `select entity, count(*)::int as count from record_versions
       where instance_id = $1 and service_id = $2 and valid_to is null and not deleted group by entity`,
      [syncHarness.instanceId, toServiceId(key)],
    )
    return Object.fromEntries(rows.map(({ entity, count }) => [String(entity), Number(count)]))
  }

  async function recordIds({ key }: ConnectorDescription): Promise<unknown[]> {
    const { rows } = await deps.database.query(
      `select id from record_versions where instance_id = $1 and service_id = $2 and entity = 'Accounts' and valid_to is null and not deleted order by id`,
      [syncHarness.instanceId, toServiceId(key)],
    )
    return rows.map(({ id }) => id)
  }

  const typed = {
    fineract: () => ({ ...fineractStage.BASIC, address: harnesses.fineract.url, ...fineractStage.oauthOf(harnesses.fineract) }),
    mambu: () => ({ ...mambuStage.READ_ONLY, address: harnesses.mambu.url }),
    helix: () => ({ ...helixStage.READ_ONLY, address: harnesses.helix.url }),
    simplefin: () => ({ token: harnesses.simplefin.simulator.createToken('cafe') }),
  }

  test.each([
    ['fineract', fineract, 12, '6a2f9a10-0000-4000-8000-000000000001'],
    ['mambu', mambu, 14, '6a2f9a10-0000-4000-8000-000000000002'],
    ['helix', helix, 5, '6a2f9a10-0000-4000-8000-000000000003'],
    ['simplefin', simplefin, 10, '6a2f9a10-0000-4000-8000-000000000004'],
  ] as const)('%s: from the form to published records, and a second sync changes nothing', async (key, description, accounts, jobId) => {
    const connectionId = await link(description, typed[key]())
    await sync(connectionId, jobId)
    const first = await published(description)
    expect(first).toEqual({ Accounts: accounts, Transactions: expect.any(Number) })
    expect(first.Transactions).toBeGreaterThan(20)
    expect((await findConnection(deps.database, syncHarness.instanceId, connectionId))?.status).toBe(Status.Synced)
    await sync(connectionId, jobId.replace(/.$/, '9'))
    expect(await published(description)).toEqual(first)
  })

  test('simplefin: another token of the same owner repairs the connection, one of another owner is refused', async () => {
    const before = await link(simplefin, typed.simplefin())
    expect(await link(simplefin, typed.simplefin())).toBe(before)
    await expect(link(simplefin, { token: harnesses.simplefin.simulator.createToken('shop') })).rejects.toThrow(EntityMismatch)
  })

  test('simplefin: accounts of a bank that was added again continue as the same records', async () => {
    const connectionId = await link(simplefin, typed.simplefin())
    await sync(connectionId, '6a2f9a10-0000-4000-8000-000000000011')
    const before = await recordIds(simplefin)
    for (const account of harnesses.simplefin.simulator.state.users.cafe ?? []) account.id = `NEW-${account.id}`
    expect(await link(simplefin, typed.simplefin())).toBe(connectionId)
    await sync(connectionId, '6a2f9a10-0000-4000-8000-000000000012')
    expect(await recordIds(simplefin)).toEqual(before)
  })
})
