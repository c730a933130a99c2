import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { flinksConnector } from '../../../src/connectors/flinks/client.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { applyItems, failureOf, pullNamed, sessionOf, withoutFullNumbers } from '../../harness/connector-calls.ts'
import { accountWithRole, type Harness, link, openHarness, run } from './harness.ts'

const DAY_MS = 86_400_000

describe('reading accounts', () => {
  let harness: Harness
  let grant: Grant
  beforeEach(async () => {
    harness = await openHarness({ historyDays: 30 })
    grant = await link(harness)
  })
  afterEach(() => harness.close())

  const accounts = () => run(sessionOf(harness, grant), 'accounts')

  test('no record contains a full number, a holder or a user name', async () => {
    const { items, pages } = await accounts()
    const whole = [...new TextDecoder().decode(pages[0]?.accounts).matchAll(/"AccountNumber":"(\d+)"/g)].map((match) => match[1] ?? '')
    expect(whole.length).toBeGreaterThan(10)
    const text = JSON.stringify(withoutFullNumbers(items))
    expect([...whole, 'Gâteau', 'utilisateur-secret', '555-0199'].filter((secret) => text.includes(secret))).toEqual([])
  })

  test('a removed account is no longer listed', async () => {
    const gone = accountWithRole(harness, grant, 'card')
    harness.simulator.removeAccount(gone)
    const { items, listing } = await accounts()
    expect([listing, items.some(({ origId }) => origId === gone)]).toEqual(['complete', false])
  })

  test.each([
    ['invalidPassword', 'reconnect'],
    ['disabledLogin', 'reconnect'],
    ['newAccount', 'reconnect'],
    ['cardGone', 'reconnect'],
    ['challenge', 'reconnect'],
    ['bodyStatus', 'reconnect'],
    ['tooMany', 'rateLimited'],
    ['retryLater', 'unavailable'],
    ['aggregationError', 'unavailable'],
    ['disabledInstitution', 'unavailable'],
    ['maintenance', 'unavailable'],
    ['concurrent', 'unavailable'],
  ])('%s becomes %s', async (fault, kind) => {
    harness.simulator.fault(fault)
    const failure = await failureOf(accounts())
    expect([failure.kind, failure.isClientRefused]).toEqual([kind, false])
  })

  test('an answer in preparation gives the run back, and a later job polls with the same session', async () => {
    const pull = pullNamed(flinksConnector, 'accounts')
    const session = sessionOf(harness, grant)
    harness.simulator.fault('pending', 2)
    const first = await pull.fetch(session, null)
    expect(first.answers).toEqual({})
    const waiting = await failureOf(pull.fetch(session, first.next))
    expect([waiting.kind, waiting.retryAfterMs]).toEqual(['rateLimited', 10_000])
    const last = await pull.fetch(session, first.next)
    expect([...pull.read(last.answers)].length).toBeGreaterThan(10)
    expect(harness.exchanges.filter(({ request }) => request.url.endsWith('/Authorize')).length).toBe(2)
    expect(harness.exchanges.at(-1)?.request.url).toContain('/GetAccountsDetailAsync/')
  })

  test('an answer that is never ready fails after half an hour', async () => {
    const pull = pullNamed(flinksConnector, 'accounts')
    harness.simulator.fault('pending', 99)
    const first = await pull.fetch(sessionOf(harness, grant), null)
    for (let minutes = 0; minutes < 31; minutes += 8) {
      harness.moveTime(8 * 60_000)
      await failureOf(pull.fetch(sessionOf(harness, grant), first.next))
    }
    expect((await failureOf(pull.fetch(sessionOf(harness, grant), first.next))).kind).toBe('unavailable')
  })

  test('an expired session is replaced, a limited number of times', async () => {
    harness.simulator.fault('sessionExpired', 1)
    expect((await accounts()).items.length).toBeGreaterThan(10)
    harness.simulator.fault('sessionExpired', 99)
    const calls = harness.exchanges.length
    expect((await failureOf(accounts())).kind).toBe('unavailable')
    expect(harness.exchanges.length - calls).toBeLessThan(12)
  })

  test('a login that the nightly read skips requires a reconnect, although Flinks’ data looks valid', async () => {
    harness.simulator.setTrouble(grant.reference ?? '', 'CHALLENGE')
    harness.moveTime(2 * DAY_MS)
    expect((await accounts()).items.length).toBeGreaterThan(10)
    harness.moveTime(2 * DAY_MS)
    expect((await failureOf(accounts())).kind).toBe('reconnect')
  })

  test('an old login that is not skipped is delivered with its date', async () => {
    const login = harness.simulator.state.logins[grant.reference ?? '']
    if (!login) throw new Error('no login')
    login.isScheduled = false
    harness.moveTime(10 * DAY_MS)
    const [item] = (await accounts()).items
    expect(item).toHaveProperty('wire.login.LastRefresh', expect.stringContaining('2026-11-20'))
  })

  test('schema drift sets aside only the unreadable record', async () => {
    harness.simulator.fault('schemaDrift')
    const { items } = await accounts()
    expect(items.map(({ origId }) => origId)).toEqual(expect.arrayContaining(['drift-unknown-words', 'drift-nulls', 'drift-wrong-types']))
  })
})

describe('reading transactions', () => {
  let harness: Harness
  let grant: Grant
  let chequing: string
  beforeEach(async () => {
    harness = await openHarness({ historyDays: 120, giantAccounts: 50 })
    grant = await link(harness)
    chequing = accountWithRole(harness, grant, 'chequing')
  })
  afterEach(() => harness.close())

  const transactions = (from: Json | null = null) => run(sessionOf(harness, grant), 'transactions', from)
  const daysAsked = () =>
    harness.exchanges.flatMap(({ request }) => (typeof request.body === 'string' ? (/Days\d+/.exec(request.body) ?? []) : [])).map(String)

  test('a year at first, then 90 days; a second run changes nothing', async () => {
    const first = await transactions()
    const held = applyItems(new Map(), first.items)
    const again = await transactions(first.resume)
    expect(daysAsked()).toEqual(['Days365', 'Days90'])
    expect(again.items.filter((item) => 'removed' in item)).toEqual([])
    expect(applyItems(new Map(held), again.items)).toEqual(held)
  })

  test('a transaction that returns under another Id counts once', async () => {
    const shown = harness.simulator.enter(chequing, -1_234)
    const first = await transactions()
    const held = applyItems(new Map(), first.items)
    expect(held.has(shown)).toBe(true)
    harness.simulator.removeEntry(shown)
    const booked = harness.simulator.enter(chequing, -1_234)
    applyItems(held, (await transactions(first.resume)).items)
    expect([held.has(shown), held.has(booked)]).toEqual([false, true])
  })

  test('after four days readers have what a full read returns, plus the older days', async () => {
    const first = await transactions()
    const held = applyItems(new Map(), first.items)
    harness.moveTime(4 * DAY_MS)
    applyItems(held, (await transactions(first.resume)).items)
    const renewed = applyItems(new Map(), (await transactions()).items)
    const missing = [...renewed.keys()].filter((id) => !held.has(id))
    const recent = [...held].filter(
      ([id, wire]) => !renewed.has(id) && String((wire as { transaction: { Date: string } }).transaction.Date) > '2026/10/01',
    )
    expect([missing, recent]).toEqual([[], []])
  })

  test('an account whose transactions were not read loses none', async () => {
    const id = harness.simulator.enter(chequing, -900)
    const first = await transactions()
    harness.simulator.editAccount(chequing, { Title: 'x' })
    const login = harness.simulator.state.logins[grant.reference ?? '']
    for (const account of login?.accounts ?? []) account.changes.Transactions = null
    const again = await transactions(first.resume)
    expect(again.items.filter((item) => 'removed' in item)).toEqual([])
    expect(first.items.some(({ origId }) => origId === id)).toBe(true)
  })

  test('after a long pause everything is read again, and nothing is treated as deleted', async () => {
    const first = await transactions()
    harness.moveTime(100 * DAY_MS)
    const again = await transactions(first.resume)
    expect(daysAsked()).toEqual(['Days365', 'Days365'])
    expect(again.items.filter((item) => 'removed' in item)).toEqual([])
  })

  test('many accounts are read twenty at a time in one session', async () => {
    const giant = await link(harness, { username: 'giant' })
    const before = harness.exchanges.filter(({ request }) => request.url.endsWith('/Authorize')).length
    const { pages, items } = await run(sessionOf(harness, giant), 'transactions')
    expect(pages).toHaveLength(3)
    expect(new Set(items.flatMap((item) => ('wire' in item ? [(item.wire as { account: { Id: string } }).account.Id] : []))).size).toBe(50)
    expect(harness.exchanges.filter(({ request }) => request.url.endsWith('/Authorize')).length - before).toBe(1)
  })

  test('a listing in preparation also gives the run back', async () => {
    const pull = pullNamed(flinksConnector, 'transactions')
    harness.simulator.fault('pendingSummary', 2)
    const first = await pull.fetch(sessionOf(harness, grant), null)
    expect((await failureOf(pull.fetch(sessionOf(harness, grant), first.next))).kind).toBe('rateLimited')
    expect(Object.keys((await pull.fetch(sessionOf(harness, grant), first.next)).answers)).toEqual(['accounts'])
  })
})
