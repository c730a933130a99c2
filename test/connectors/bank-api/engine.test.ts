import { afterEach, beforeEach, expect, it } from 'vitest'
import { exampleConnectors } from '../../../src/connectors/registry.ts'
import { createSources } from '../../../src/connectors/sources.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { explainRecord } from '../../../src/sync/explain/explain.ts'
import { findService } from '../../../src/sync/sources/catalogue.ts'
import { linkByForm } from '../../harness/app/owner-link.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { FORMS, type Harness, openHarness } from './harness.ts'

let harness: Harness
let syncHarness: SyncHarness
beforeEach(async () => {
  harness = await openHarness('harbourline')
  syncHarness = await openSyncHarness([])
  syncHarness.deps.sources = createSources(exampleConnectors, {
    settings: {},
    simulators: { 'bank-api-harbourline': {} },
    createKit: () => harness.kit,
  })
})
afterEach(async () => {
  await syncHarness.close()
  await harness.close()
})

it('a bank of a profile is linked, synced, published and explained by the engine like any other', async () => {
  const { deps, instanceId, companyId } = syncHarness
  const serviceId = toServiceId('bank-api-harbourline')
  const connectionId = await linkByForm(deps, { instanceId, companyId, serviceId }, FORMS.harbourline('good'))
  await deps.database.query(`delete from jobs where kind = 'sync'`)
  expect(await syncHarness.sync(connectionId, { reason: 'first' })).toEqual({ done: true })
  const { rows } = await deps.database.query<{ entity: string; count: number }>(
    `select entity, count(*)::int as count from record_versions where instance_id = $1 group by entity order by entity`,
    [instanceId],
  )
  expect(rows[0]).toEqual({ entity: 'Accounts', count: 13 })
  expect(rows[1]?.count).toBeGreaterThan(500)
  const service = await findService(deps.database, deps.sources, instanceId, serviceId)
  if (!service) throw new Error('no service')
  const scope = { instanceId, companyId, serviceId }
  const explained = await explainRecord(deps.database, deps, scope, service, {
    entity: 'Accounts',
    recordId: 'HL000001',
    asOf: null,
  })
  const rate = explained?.fields.find(({ field }) => field === 'interestRate')
  expect(explained?.current).toMatchObject({ version: 1, gives: 'same' })
  expect(rate).toMatchObject({
    result: 7.25,
    rule: { code: 'profile, list loans: {"from":"/interestRate","scale":"percent"}' },
    raw: [{ path: '/row/interestRate', found: 'value', value: '7.25%' }],
  })
  // The second run finds nothing new.
  expect(await syncHarness.sync(connectionId)).toEqual({ done: true })
  const again = await deps.database.query(`select 1 from record_versions where instance_id = $1 and entity = 'Transactions'`, [instanceId])
  expect(again.rowCount).toBe(rows[1]?.count)
})

it('a bank whose dates mean "as of now" makes no version and no event if nothing else has changed', async () => {
  const { deps, instanceId, companyId } = syncHarness
  const serviceId = toServiceId('bank-api-harbourline')
  const connectionId = await linkByForm(deps, { instanceId, companyId, serviceId }, FORMS.harbourline('good'))
  await deps.database.query(`delete from jobs where kind = 'sync'`)
  const accounts = async () => {
    const { rows } = await deps.database.query<{ doc: string }>(
      `select doc from record_versions where instance_id = $1 and entity = 'Accounts' order by id, valid_from`,
      [instanceId],
    )
    return rows.map(({ doc }) => doc)
  }
  await syncHarness.sync(connectionId, { reason: 'first' })
  const before = await accounts()
  expect(before.join('\n')).toContain('"actualBalanceDate":"2026-07-01T12:00:00')
  harness.moveTime(3_600_000)
  expect(await syncHarness.sync(connectionId)).toEqual({ done: true })
  expect(await accounts()).toEqual(before)
  const { rows: events } = await deps.database.query(`select 1 from events where instance_id = $1 and kind = 'AccountsChanged'`, [
    instanceId,
  ])
  expect(events).toEqual([])
})
