import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { createSources } from '../../../src/connectors/contract/sources.ts'
import { fineract } from '../../../src/connectors/fineract/index.ts'
import { helix } from '../../../src/connectors/helix/index.ts'
import { mambu } from '../../../src/connectors/mambu/index.ts'
import { simplefin } from '../../../src/connectors/simplefin/index.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress, type Egress } from '../../../src/egress/egress.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { Status } from '../../../src/model/statuses.ts'
import { findConnection } from '../../../src/store/connections/connections.ts'
import { beginAuthorization, submitForm } from '../../../src/sync/authorize/authorize.ts'
import { EntityMismatch } from '../../../src/sync/authorize/grant.ts'
import type { SyncDeps } from '../../../src/sync/deps.ts'
import { syncHandlers } from '../../../src/sync/jobs.ts'
import { issueLink, openLink } from '../../../src/sync/links/link.ts'
import { type House, openHouse } from '../../sync/house.ts'
import * as fineractStage from '../fineract/stage.ts'
import * as helixStage from '../helix/stage.ts'
import * as mambuStage from '../mambu/stage.ts'
import * as simplefinStage from '../simplefin/stage.ts'

const NOW = new Date(Date.UTC(2026, 6, 1, 12))

describe('the engine connects, reads and publishes', () => {
  let house: House
  let deps: SyncDeps
  let egress: Egress
  let stages: {
    fineract: fineractStage.Stage
    mambu: mambuStage.Stage
    helix: helixStage.Stage
    simplefin: simplefinStage.Stage
  }

  beforeAll(async () => {
    stages = {
      fineract: await fineractStage.setStage(),
      mambu: await mambuStage.setStage(),
      helix: await helixStage.setStage(),
      simplefin: await simplefinStage.setStage(),
    }
    house = await openHouse([])
    egress = createEgress({ allowPrivate: true })
    const sources = createSources([fineract, mambu, helix, simplefin], {
      settings: {},
      simulators: { simplefin: { hosts: { bridge: stages.simplefin.url } } },
      createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => NOW, allowPrivate: true }),
    })
    deps = { ...house.deps, sources }
  })
  afterAll(async () => {
    await Promise.all(Object.values(stages).map((stage) => stage.close()))
    await house.close()
    await egress.close()
  })

  async function link({ key }: ConnectorDescription, values: Record<string, string>): Promise<string> {
    const { instanceId, companyId } = house
    const address = await issueLink(deps, { instanceId, companyId, serviceId: toServiceId(key), issuedBy: 'dev@example.com' })
    const open = await openLink(deps, new URL(address).searchParams.get('token') ?? '')
    if (!open) throw new Error('the link does not open')
    const { connectionId } = await beginAuthorization(deps, open)
    const [linked] = await submitForm(deps, open, connectionId, values)
    return linked?.connectionId ?? ''
  }

  async function sync(connectionId: string, id: string): Promise<void> {
    const payload = { connectionId, reason: 'first', isAwaited: false }
    const job = { id, instanceId: house.instanceId, kind: 'sync' as const, key: `connection/${connectionId}`, payload, attempts: 1 }
    expect(await syncHandlers(deps).sync(job, { isStopping: () => false })).toEqual({ done: true })
  }

  /** What readers are shown of one service, counted. */
  async function published({ key }: ConnectorDescription): Promise<Record<string, number>> {
    const { rows } = await deps.database.query(
      `select entity, count(*)::int as count from record_versions
       where instance_id = $1 and service_id = $2 and valid_to is null and not deleted group by entity`,
      [house.instanceId, toServiceId(key)],
    )
    return Object.fromEntries(rows.map(({ entity, count }) => [String(entity), Number(count)]))
  }

  async function recordIds({ key }: ConnectorDescription): Promise<unknown[]> {
    const { rows } = await deps.database.query(
      `select id from record_versions where instance_id = $1 and service_id = $2 and entity = 'Accounts' and valid_to is null and not deleted order by id`,
      [house.instanceId, toServiceId(key)],
    )
    return rows.map(({ id }) => id)
  }

  const typed = {
    fineract: () => ({ ...fineractStage.BASIC, address: stages.fineract.url, ...fineractStage.oauthOf(stages.fineract) }),
    mambu: () => ({ ...mambuStage.LECTURE, address: stages.mambu.url }),
    helix: () => ({ ...helixStage.LECTURE, address: stages.helix.url }),
    simplefin: () => ({ token: stages.simplefin.simulator.createToken('cafe') }),
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
    expect((await findConnection(deps.database, house.instanceId, connectionId))?.status).toBe(Status.Synced)
    await sync(connectionId, jobId.replace(/.$/, '9'))
    expect(await published(description)).toEqual(first)
  })

  test('simplefin: another token of the same owner repairs the connection, one of somebody else is refused', async () => {
    const before = await link(simplefin, typed.simplefin())
    expect(await link(simplefin, typed.simplefin())).toBe(before)
    await expect(link(simplefin, { token: stages.simplefin.simulator.createToken('shop') })).rejects.toThrow(EntityMismatch)
  })

  test('simplefin: accounts of a bank that was added anew go on as the records they were', async () => {
    const connectionId = await link(simplefin, typed.simplefin())
    await sync(connectionId, '6a2f9a10-0000-4000-8000-000000000011')
    const before = await recordIds(simplefin)
    for (const account of stages.simplefin.simulator.state.users.cafe ?? []) account.id = `NEW-${account.id}`
    expect(await link(simplefin, typed.simplefin())).toBe(connectionId)
    await sync(connectionId, '6a2f9a10-0000-4000-8000-000000000012')
    expect(await recordIds(simplefin)).toEqual(before)
  })
})
