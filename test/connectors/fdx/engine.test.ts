import { afterEach, describe, expect, it } from 'vitest'
import { createSources } from '../../../src/connectors/sources.ts'
import { toChildServiceId, toServiceId } from '../../../src/model/catalogue.ts'
import { beginAuthorization, completeRedirect, startRedirect } from '../../../src/sync/authorize/authorize.ts'
import type { Linked } from '../../../src/sync/authorize/grant.ts'
import { issueLink, openLink } from '../../../src/sync/links/link.ts'
import { readAccounts, readMovements } from '../../reconnect/owner.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { everyAccount, openBrowser } from './browser.ts'
import { type BankKey, type Harness, openHarness, queryOf } from './harness.ts'

const DAY_MS = 86_400_000
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

async function openBoth(key: BankKey): Promise<{ harness: Harness; syncHarness: SyncHarness }> {
  const harness = await openHarness(key)
  const syncHarness = await openSyncHarness([], [harness.description])
  closers.push(harness.close, syncHarness.close)
  syncHarness.deps.readLeaseMs = 0
  syncHarness.deps.sources = createSources([harness.description], {
    settings: {},
    simulators: { [key]: { app: harness.kit.app, hosts: harness.kit.hosts } },
    createKit: () => harness.kit,
  })
  return { harness, syncHarness }
}

/** The owner's steps from the link to the bank and back, as our pages perform them. */
async function connect({ deps, instanceId, companyId }: SyncHarness, harness: Harness, institutionId?: string): Promise<Linked> {
  const address = await issueLink(deps, {
    instanceId,
    companyId,
    serviceId: toServiceId(harness.description.key),
    issuedBy: 'dev@example.com',
  })
  const linkToken = new URL(address).searchParams.get('token') ?? ''
  const open = await openLink(deps, linkToken)
  if (!open) throw new Error('the link cannot be opened')
  const { connectionId } = await beginAuthorization(deps.database, open)
  const started = await startRedirect(deps, open, { connectionId, linkToken, locale: 'fr-CA', ...(institutionId ? { institutionId } : {}) })
  if (started.step !== 'redirect') throw new Error('no redirect')
  const browser = openBrowser(harness.url)
  const consent = await browser.submit(await browser.open(started.url), 'login', [
    ['username', 'business'],
    ['password', 'sandbox'],
  ])
  const callback = harness.exchanges
    .flatMap(({ request }) => new URLSearchParams(String(request.body ?? '')).get('redirect_uri') ?? [])
    .at(0)
  const wanted = callback ?? new URL(started.url).searchParams.get('redirect_uri') ?? ''
  const query = queryOf(await browser.submit(consent, 'consent', everyAccount(consent)), wanted)
  const linked = await completeRedirect(deps, { state: query.state ?? '', linkToken, callback: harness.description.key, query })
  if (!Array.isArray(linked) || !linked[0]) throw new Error('nothing was linked')
  await deps.database.query(`delete from jobs where kind = 'sync'`)
  return linked[0]
}

describe('through the engine', () => {
  it('a bank is connected and synced; five days later a pending transaction is booked once, with tokens refreshed on the way', async () => {
    const { harness, syncHarness } = await openBoth('fdx-caisse-du-confluent')
    const { connectionId } = await connect(syncHarness, harness)
    expect(await syncHarness.sync(connectionId)).toEqual({ done: true })
    const scope = { instanceId: syncHarness.instanceId, companyId: syncHarness.companyId, serviceId: toServiceId(harness.description.key) }
    const accounts = await readAccounts(syncHarness.deps, scope)
    expect([accounts.length, accounts.every(({ accountNumber }) => /^(••••\w{1,4})?$/.test(String(accountNumber)))]).toEqual([16, true])
    const before = await readMovements(syncHarness.deps, scope)
    const pending = before.filter(({ isPending }) => isPending).map(({ origId }) => origId)
    expect(pending.length).toBeGreaterThan(5)
    harness.moveTime(5 * DAY_MS)
    expect(await syncHarness.sync(connectionId)).toEqual({ done: true })
    const after = await readMovements(syncHarness.deps, scope)
    expect(after.filter(({ origId }) => pending.includes(origId))).toEqual([])
    expect(after.length).toBeGreaterThanOrEqual(before.length)
  })

  it('a bank behind Akoya becomes a separate service', async () => {
    const { harness, syncHarness } = await openBoth('akoya')
    const { connectionId } = await connect(syncHarness, harness, 'mikomo')
    expect(await syncHarness.sync(connectionId)).toEqual({ done: true })
    const serviceId = toChildServiceId(syncHarness.instanceId, 'akoya', 'mikomo')
    const accounts = await readAccounts(syncHarness.deps, {
      instanceId: syncHarness.instanceId,
      companyId: syncHarness.companyId,
      serviceId,
    })
    expect(accounts.map((account) => Object(account).providerName)).toEqual(Array.from({ length: 16 }, () => 'Mikomo Bank'))
  })
})
