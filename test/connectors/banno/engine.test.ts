import { request } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { banno } from '../../../src/connectors/banno/index.ts'
import { createSources } from '../../../src/connectors/sources.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { beginAuthorization, completeRedirect, startRedirect } from '../../../src/sync/authorize/authorize.ts'
import { issueLink, openLink } from '../../../src/sync/links/link.ts'
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

it('an owner signs in at the bank, comes back, and the engine publishes what the bank has', async () => {
  const { deps, instanceId, companyId } = syncHarness
  const serviceId = toServiceId('banno')
  const address = await issueLink(deps, { instanceId, companyId, serviceId, issuedBy: 'dev@example.com' })
  const linkToken = new URL(address).searchParams.get('token') ?? ''
  const open = await openLink(deps, linkToken)
  if (!open) throw new Error('the link does not open')
  const { connectionId } = await beginAuthorization(deps.database, open)
  const started = await startRedirect(deps, open, { connectionId, linkToken, locale: 'fr-CA' })
  const answer = await request(started.step === 'redirect' ? started.url : '', { method: 'POST', body: 'decision=allow' })
  await answer.body.dump()
  const back = new URL(String(answer.headers.location))
  const query = Object.fromEntries(back.searchParams)
  const linked = await completeRedirect(deps, { state: query.state ?? '', linkToken, query })
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
