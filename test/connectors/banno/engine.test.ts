import { request } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { banno } from '../../../src/connectors/banno/index.ts'
import { createSources } from '../../../src/connectors/sources.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { linkByRedirect } from '../../harness/app/owner-link.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { type Harness, openHarness } from './harness.ts'

let harness: Harness
let syncHarness: SyncHarness
beforeEach(async () => {
  harness = await openHarness()
  syncHarness = await openSyncHarness([])
  syncHarness.deps.now = harness.kit.now
  syncHarness.deps.sources = createSources([banno], { settings: {}, simulators: { banno: {} }, createKit: () => harness.kit })
})
afterEach(async () => {
  await syncHarness.close()
  await harness.close()
})

it('an owner signs in at the bank and returns, and the engine publishes the bank’s data', async () => {
  const { deps, instanceId, companyId } = syncHarness
  const serviceId = toServiceId('banno')
  const { begunId: connectionId, linked } = await linkByRedirect(deps, { instanceId, companyId, serviceId }, async (url) => {
    const answer = await request(url, { method: 'POST', body: 'decision=allow' })
    await answer.body.dump()
    return { leftFor: String(answer.headers.location) }
  })
  expect(linked).toMatchObject([{ connectionId, entityName: 'Maren O’Dell', isReconnect: false }])
  await deps.database.query(`delete from jobs where kind = 'sync'`)
  expect(await syncHarness.sync(connectionId, { reason: 'first' })).toEqual({ done: true })
  const { rows } = await deps.database.query<{ status: number; accounts: number }>(
    `select status, (select count(*)::int from record_versions r where r.connection_id = c.id and entity = 'Accounts') as accounts
     from connections c where instance_id = $1`,
    [instanceId],
  )
  expect(rows).toEqual([{ status: 19, accounts: 11 }])
})
