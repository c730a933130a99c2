import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { runsOf } from '../../harness/app/runs.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { type AggregatedBank, openAggregatedBank } from '../aggregated-bank.ts'
import { BANK, type Harness, openHarness, walkLink } from './harness.ts'

let harness: Harness
let bank: AggregatedBank

beforeEach(async () => {
  harness = await openHarness({ historyDays: 30 })
  bank = await openAggregatedBank(harness, BANK)
})
afterEach(async () => {
  await bank.close()
  await harness.close()
})

/** The most recent login. */
const lastLogin = () => Object.values(harness.simulator.state.logins).at(-1)?.id ?? ''

function accountOf(role: string) {
  const account = harness.simulator.state.logins[String(lastLogin())]?.accounts.find((each) => each.role === role)
  if (!account) throw new Error(`no account ${role}`)
  return account.id
}

const connect = () => bank.connect(walkLink)
const newestRun = (id: string) => runsOf(bank.syncHarness, id, 1)

describe('a bank behind Flinks, through the engine', () => {
  test('is the child service that readers query, with its accounts and transactions', async () => {
    await connect()
    expect((await bank.names()).length).toBe(13)
    expect((await bank.movements()).length).toBeGreaterThan(250)
  })

  test('a transaction that returns under another Id exists once, and a closed account is gone', async () => {
    const id = await connect()
    const card = accountOf('card')
    const shown = harness.simulator.enter(card, -4_321)
    await bank.syncHarness.sync(id)
    const during = await bank.movements()
    harness.simulator.removeEntry(shown)
    harness.simulator.enter(card, -4_321)
    harness.simulator.removeAccount(accountOf('strange'))
    await bank.syncHarness.sync(id)
    expect((await bank.movements()).length).toBe(during.length)
    expect((await bank.names()).length).toBe(12)
  })

  test('a recreated login continues with its accounts and transactions', async () => {
    const id = await connect()
    const before = [await bank.names(), await bank.movements()]
    expect(await connect()).toBe(id)
    expect([await bank.names(), await bank.movements()]).toEqual(before)
    const [run] = await newestRun(id)
    expect(run).toMatchObject({ reason: 'reconnect', counts: { reidentified: 13, unclear: 0 } })
  })

  test('a slow answer gives the job back until it is ready', async () => {
    const id = await bank.authorize(toServiceId('flinks'), walkLink)
    harness.simulator.fault('pending', 3)
    expect(await bank.syncHarness.sync(id)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    expect(await bank.syncHarness.sync(id)).toMatchObject({ done: false, inMs: 10_000, isFailure: false })
    expect(await bank.syncHarness.sync(id)).toEqual({ done: true })
    expect((await bank.names()).length).toBe(13)
  })

  test('a broken login requires a reconnect, published records stay, and the repair continues from there', async () => {
    const id = await connect()
    const before = await bank.names()
    harness.simulator.fault('invalidPassword')
    expect(await bank.syncHarness.sync(id)).toEqual({ done: true })
    const [failed] = await newestRun(id)
    expect(failed).toMatchObject({ state: 'failed', errorKind: 'reconnect' })
    expect(await bank.names()).toEqual(before)
    harness.simulator.setTrouble(lastLogin(), 'CHALLENGE')
    const answer = async (url: string) => await submitPage((await openPage(url)).html, 'code', [['code', 'Montréal']])
    expect(await bank.authorize(bank.scope.serviceId, answer)).toBe(id)
    expect(await bank.syncHarness.sync(id)).toEqual({ done: true })
    expect([await bank.names(), Object.keys(harness.simulator.state.logins).length]).toEqual([before, 1])
  })
})
