import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Connector, ConnectorDescription, Pull } from '../../../src/connectors/contract/contract.ts'
import { flinksConnector } from '../../../src/connectors/flinks/client.ts'
import { flinks } from '../../../src/connectors/flinks/index.ts'
import { toChildServiceId, toServiceId } from '../../../src/model/catalogue.ts'
import { listRuns } from '../../../src/store/connections/sync-runs.ts'
import { linkByRedirect } from '../../harness/app/owner-link.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { redirectStep } from '../../harness/redirect.ts'
import { readAccounts, readMovements } from '../../reconnect/owner.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { BANK, type Harness, openHarness, walkLink } from './harness.ts'

let harness: Harness
let syncHarness: SyncHarness

beforeEach(async () => {
  harness = await openHarness({ historyDays: 30 })
  syncHarness = await openSyncHarness([], [withHarness()])
  syncHarness.deps.readLeaseMs = 0
})
afterEach(async () => {
  await syncHarness.close()
  await harness.close()
})

/** Flinks itself, but that its calls go to the harness. */
function withHarness(): ConnectorDescription {
  const toStaged = (pull: Pull): Pull => ({ ...pull, fetch: (session, cursor) => pull.fetch({ ...session, kit: harness.kit }, cursor) })
  const connector = (): Connector => ({
    ...flinksConnector,
    authorize: {
      step: 'redirect',
      start: async (_kit, request) => await redirectStep(harness).start(harness.kit, request),
      complete: async (_kit, request) => await redirectStep(harness).complete(harness.kit, request),
    },
    pulls: flinksConnector.pulls.map(toStaged),
  })
  return { ...flinks, load: async () => connector() }
}

const scope = () => ({
  instanceId: syncHarness.instanceId,
  companyId: syncHarness.companyId,
  serviceId: toChildServiceId(syncHarness.instanceId, 'flinks', BANK),
})

/** The owner's way from the link to the provider's pages and back; gives the connection's id. */
async function authorize(serviceId: string, walk: (url: string) => Promise<{ leftFor: string | null }>): Promise<string> {
  const bank = serviceId === toServiceId('flinks') ? { institutionId: BANK } : {}
  const { connectionId } = await linkByRedirect(syncHarness.deps, { ...scope(), serviceId }, walk, bank)
  return connectionId
}

/** The login that was made last. */
const lastLogin = () => Object.values(harness.simulator.state.logins).at(-1)?.id ?? ''

function accountOf(role: string) {
  const account = harness.simulator.state.logins[String(lastLogin())]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

async function connect(): Promise<string> {
  const id = await authorize(toServiceId('flinks'), walkLink)
  expect(await syncHarness.sync(id)).toEqual({ done: true })
  return id
}

const names = async () => (await readAccounts(syncHarness.deps, scope())).map(({ origId, accountNumber }) => `${origId} ${accountNumber}`)
const movements = async () => (await readMovements(syncHarness.deps, scope())).map(({ id }) => id).sort()

describe('a bank behind Flinks, through the engine', () => {
  test('is the child service that readers ask, with its accounts and movements', async () => {
    await connect()
    expect((await names()).length).toBe(13)
    expect((await movements()).length).toBeGreaterThan(250)
  })

  test('a movement that comes back under another Id is there once, and an account that was closed is gone', async () => {
    const id = await connect()
    const card = accountOf('card')
    const shown = harness.simulator.enter(card, -4_321)
    await syncHarness.sync(id)
    const during = await movements()
    harness.simulator.removeEntry(shown)
    harness.simulator.enter(card, -4_321)
    harness.simulator.removeAccount(accountOf('strange'))
    await syncHarness.sync(id)
    expect((await movements()).length).toBe(during.length)
    expect((await names()).length).toBe(12)
  })

  test('a login that was made anew goes on with its accounts and movements', async () => {
    const id = await connect()
    const before = [await names(), await movements()]
    expect(await connect()).toBe(id)
    expect([await names(), await movements()]).toEqual(before)
    const [run] = await listRuns(syncHarness.deps.database, syncHarness.instanceId, id, 1)
    expect(run).toMatchObject({ reason: 'reconnect', counts: { reidentified: 13, unclear: 0 } })
  })

  test('an answer that takes long gives the job back until it is there', async () => {
    const id = await authorize(toServiceId('flinks'), walkLink)
    harness.simulator.fault('pending', 3)
    expect(await syncHarness.sync(id)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    expect(await syncHarness.sync(id)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    expect(await syncHarness.sync(id)).toEqual({ done: true })
    expect((await names()).length).toBe(13)
  })

  test('a broken login asks the owner, what was published stays, and the repair goes on from there', async () => {
    const id = await connect()
    const before = await names()
    harness.simulator.fault('invalidPassword')
    expect(await syncHarness.sync(id)).toEqual({ done: true })
    const [failed] = await listRuns(syncHarness.deps.database, syncHarness.instanceId, id, 1)
    expect(failed).toMatchObject({ state: 'failed', errorKind: 'reconnect' })
    expect(await names()).toEqual(before)
    harness.simulator.setTrouble(lastLogin(), 'CHALLENGE')
    const answer = async (url: string) => await submitPage((await openPage(url)).html, 'code', [['code', 'Montréal']])
    expect(await authorize(scope().serviceId, answer)).toBe(id)
    expect(await syncHarness.sync(id)).toEqual({ done: true })
    expect([await names(), Object.keys(harness.simulator.state.logins).length]).toEqual([before, 1])
  })
})
