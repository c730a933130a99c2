import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Connector, ConnectorDescription, Pull } from '../../../src/connectors/contract/contract.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { finicity } from '../../../src/connectors/finicity/index.ts'
import { toChildServiceId, toServiceId } from '../../../src/model/catalogue.ts'
import { listRuns } from '../../../src/store/connections/sync-runs.ts'
import { linkByRedirect } from '../../harness/app/owner-link.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { redirectStep } from '../../harness/redirect.ts'
import { readAccounts, readMovements } from '../../reconnect/owner.ts'
import { openSyncHarness, type SyncHarness } from '../../sync/harness.ts'
import { BANK, type Harness, login, openHarness, walkLink } from './harness.ts'

let harness: Harness
let syncHarness: SyncHarness

beforeEach(async () => {
  harness = await openHarness({ historyDays: 40 })
  syncHarness = await openSyncHarness([], [withHarness()])
  syncHarness.deps.readLeaseMs = 0
})
afterEach(async () => {
  await syncHarness.close()
  await harness.close()
})

/** Finicity itself, but that its calls go to the harness. */
function withHarness(): ConnectorDescription {
  const toStaged = (pull: Pull): Pull => ({ ...pull, fetch: (session, cursor) => pull.fetch({ ...session, kit: harness.kit }, cursor) })
  const connector = (): Connector => ({
    ...finicityConnector,
    authorize: {
      step: 'redirect',
      start: async (_kit, request) => await redirectStep(harness).start(harness.kit, request),
      complete: async (_kit, request) => await redirectStep(harness).complete(harness.kit, request),
    },
    refreshCredentials: async (_kit, credentials) =>
      (await finicityConnector.refreshCredentials?.(harness.kit, credentials)) ?? credentials,
    disconnect: async (_kit, credentials) => await finicityConnector.disconnect?.(harness.kit, credentials),
    pulls: finicityConnector.pulls.map(toStaged),
  })
  return { ...finicity, load: async () => connector() }
}

const scope = () => ({
  instanceId: syncHarness.instanceId,
  companyId: syncHarness.companyId,
  serviceId: toChildServiceId(syncHarness.instanceId, 'finicity', BANK),
})

/** The owner's way from the link to the provider's pages and back; gives the connection's id. */
async function authorize(serviceId: string, walk: (url: string) => Promise<{ leftFor: string | null }>): Promise<string> {
  const bank = serviceId === toServiceId('finicity') ? { institutionId: BANK } : {}
  const { connectionId } = await linkByRedirect(syncHarness.deps, { ...scope(), serviceId }, walk, bank)
  return connectionId
}

/** The login that was made last. */
const lastLogin = () => Object.values(harness.simulator.state.logins).at(-1)?.id ?? 0

function accountOf(role: string) {
  const account = harness.simulator.state.logins[String(lastLogin())]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

async function connect(): Promise<string> {
  const id = await authorize(toServiceId('finicity'), walkLink)
  expect(await syncHarness.sync(id)).toEqual({ done: true })
  return id
}

const names = async () => (await readAccounts(syncHarness.deps, scope())).map(({ origId, accountNumber }) => `${origId} ${accountNumber}`)
const movements = async () => (await readMovements(syncHarness.deps, scope())).map(({ id }) => id).sort()

describe('a bank behind Finicity, through the engine', () => {
  test('is the child service that readers ask, with its accounts and movements', async () => {
    await connect()
    expect((await names()).length).toBe(14)
    expect((await movements()).length).toBeGreaterThan(300)
  })

  test('a pending movement that comes back under another number is there once, and an account that was closed is gone', async () => {
    const id = await connect()
    const card = accountOf('card')
    const pending = harness.simulator.enter(card, -4_321, 'pending')
    await syncHarness.sync(id)
    const during = await movements()
    harness.simulator.removeEntry(pending)
    harness.simulator.enter(card, -4_321)
    await syncHarness.sync(id)
    expect((await movements()).length).toBe(during.length)
    harness.simulator.removeAccount(accountOf('closed'))
    await syncHarness.sync(id)
    expect((await names()).length).toBe(13)
  })

  test('a login that was deleted and linked anew goes on with its accounts and movements', async () => {
    const id = await connect()
    const before = [await names(), await movements()]
    harness.simulator.removeLogin(lastLogin())
    expect(await connect()).toBe(id)
    expect([await names(), await movements()]).toEqual(before)
    const [run] = await listRuns(syncHarness.deps.database, syncHarness.instanceId, id, 1)
    expect(run).toMatchObject({ reason: 'reconnect', counts: { reidentified: 14, unclear: 0 } })
  })

  test('a broken login asks the owner, what was published stays, and the repair goes on from there', async () => {
    const id = await connect()
    const before = await names()
    harness.simulator.setStatus(lastLogin(), 103)
    expect(await syncHarness.sync(id)).toEqual({ done: true })
    const [failed] = await listRuns(syncHarness.deps.database, syncHarness.instanceId, id, 1)
    expect(failed).toMatchObject({ state: 'failed', errorKind: 'reconnect' })
    expect(await names()).toEqual(before)
    const mended = await authorize(scope().serviceId, async (url) => await submitPage((await openPage(url)).html, 'login', login()))
    expect(mended).toBe(id)
    expect(await syncHarness.sync(id)).toEqual({ done: true })
    expect([await names(), Object.keys(harness.simulator.state.logins).length]).toEqual([before, 1])
  })
})
