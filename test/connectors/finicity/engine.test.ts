import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/app/runs.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { type AggregatedBank, openAggregatedBank } from '../aggregated-bank.ts'
import { BANK, type Harness, login, openHarness, walkLink } from './harness.ts'

let harness: Harness
let bank: AggregatedBank

beforeEach(async () => {
  harness = await openHarness({ historyDays: 40 })
  bank = await openAggregatedBank(harness, BANK)
})
afterEach(async () => {
  await bank.close()
  await harness.close()
})

/** The most recent login. */
const lastLogin = () => Object.values(harness.simulator.state.logins).at(-1)?.id ?? 0

function accountOf(role: string) {
  const account = harness.simulator.state.logins[String(lastLogin())]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

const connect = () => bank.connect(walkLink)
const newestRun = (id: string) => runsOf(bank.syncHarness, id, 1)

describe('a bank behind Finicity, through the engine', () => {
  test('is the child service that readers query, with its accounts and transactions', async () => {
    await connect()
    expect((await bank.names()).length).toBe(14)
    expect((await bank.movements()).length).toBeGreaterThan(300)
  })

  test('a pending transaction booked under another number exists once, and a closed account is gone', async () => {
    const id = await connect()
    const card = accountOf('card')
    const pending = harness.simulator.enter(card, -4_321, 'pending')
    await bank.syncHarness.sync(id)
    const during = await bank.movements()
    harness.simulator.removeEntry(pending)
    harness.simulator.enter(card, -4_321)
    await bank.syncHarness.sync(id)
    expect((await bank.movements()).length).toBe(during.length)
    harness.simulator.removeAccount(accountOf('closed'))
    await bank.syncHarness.sync(id)
    expect((await bank.names()).length).toBe(13)
  })

  test('a login that was deleted and linked again continues with its accounts and transactions', async () => {
    const id = await connect()
    const before = [await bank.names(), await bank.movements()]
    harness.simulator.removeLogin(lastLogin())
    expect(await connect()).toBe(id)
    expect([await bank.names(), await bank.movements()]).toEqual(before)
    const [run] = await newestRun(id)
    expect(run).toMatchObject({ reason: 'reconnect', counts: { reidentified: 14, unclear: 0 } })
  })

  test('a broken login requires a reconnect, published records stay, and the repair continues from there', async () => {
    const id = await connect()
    const before = await bank.names()
    harness.simulator.setStatus(lastLogin(), 103)
    expect(await bank.syncHarness.sync(id)).toEqual({ done: true })
    const [failed] = await newestRun(id)
    expect(failed).toMatchObject({ state: 'failed', errorKind: 'reconnect' })
    expect(await bank.names()).toEqual(before)
    const mended = await bank.authorize(bank.scope.serviceId, async (url) => await submitPage((await openPage(url)).html, 'login', login()))
    expect(mended).toBe(id)
    expect(await bank.syncHarness.sync(id)).toEqual({ done: true })
    expect([await bank.names(), Object.keys(harness.simulator.state.logins).length]).toEqual([before, 1])
  })
})
