import { beforeAll, expect, it } from 'vitest'
import { addCrowd } from '../../bench/scale/crowd.ts'
import { listPeriodicWork } from '../../bench/scale/periodic-work.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { type RowsRead, rowsRead } from './rows-read.ts'
import { vacuumAll } from './vacuum.ts'

const COMPANIES = 4_000
/** Far fewer than a table has that grows with companies. */
const FEW_ROWS = 1_500

/** Counted whole on purpose, every ten minutes. */
const COUNTED_WHOLE: Readonly<Record<string, readonly string[]>> = {
  'watch quotas': ['companies', 'connections', 'stored_bytes'],
  // Fewer than are counted of each status.
  'metrics on a scrape': ['connections'],
}
/** Walked along an index, step by step. */
const WALKED: Readonly<Record<string, readonly string[]>> = {
  'metrics on a scrape': ['raw_pages', 'idempotency_keys', 'owner_addresses', 'source_limits'],
  'tidy mails': ['owner_addresses', 'connections', 'hand_offs', 'links'],
  'tidy sources': ['source_limits'],
}
/** What retention looks at and keeps: raw pages that records came from, and helpers of open hand-offs. */
const KEPT = [
  `update raw_pages set fetched_at = fetched_at - interval '3 years', reviewed_at = statement_timestamp()
    where id in (select md5('page/' || n)::uuid from generate_series(1, ${FEW_ROWS * 2}) n)`,
  // As densely stored as if they had been inserted so.
  'vacuum full raw_pages',
  `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, parent_id)
    select instance_id, md5('helper/' || id)::uuid, sha256(('helper/' || id)::bytea), company_id, service_id, issued_by, statement_timestamp() + interval '1 day', id
    from links where issued_by = 'crowd@example.com' order by id limit ${FEW_ROWS * 2}`,
  `insert into hand_offs (instance_id, link_id, helper) select instance_id, id, 'sealed' from links where parent_id is not null`,
]

const harness = openForTests(() => openSyncHarness([bank]))
const bank = new ScriptedSource('bank', 'Banking')
beforeAll(async () => {
  const { deps, instanceId, companyId } = harness
  bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  await harness.sync(await harness.connect(bank), { reason: 'first' })
  const subscriptionId = crypto.randomUUID()
  await insertSubscription(deps.database, instanceId, subscriptionId, { event: 'NormalizedData', callbackUrl: 'https://receiver.example/' })
  const scope = { instanceId, companyId, subscriptionId, serviceId: harness.serviceId(bank), connectorKey: 'bank' }
  await addCrowd(deps.database, scope, 1, COMPANIES)
  for (const text of KEPT) await deps.database.query(text)
  await vacuumAll(deps.database)
}, 180_000)

it(`no periodic work reads a table of ${COMPANIES} companies by a scan, or more than ${FEW_ROWS} of its rows`, async () => {
  const heavy: Record<string, RowsRead[]> = {}
  for (const [name, prepare] of Object.entries(listPeriodicWork(harness.deps, await testKeys()))) {
    const isKnown = ({ table, scanned }: RowsRead) =>
      COUNTED_WHOLE[name]?.includes(table) || (scanned <= FEW_ROWS && WALKED[name]?.includes(table))
    const read = (await rowsRead(harness.url, prepare)).filter(({ scanned, looked }) => scanned > FEW_ROWS || looked > FEW_ROWS)
    if (read.some((one) => !isKnown(one))) heavy[name] = read
  }
  expect(heavy).toEqual({})
}, 120_000)
