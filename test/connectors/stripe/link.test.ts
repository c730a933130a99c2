import { describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { stripeConnector } from '../../../src/connectors/stripe/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { BANK, link, linkAtStripe, openHarness, SECRET_KEY } from './harness.ts'

const open = closedAfterEach(openHarness)

describe('a link by a Financial Connections session', () => {
  test('returns the bank that the owner selected, under a separate customer', async () => {
    const harness = await open()
    const [first, second] = [await link(harness), await link(harness, { bank: 'First Lakeshore Credit Union' })]
    expect(first).toMatchObject({ entity: { id: 'canon-valley-bank', name: BANK }, institution: { name: BANK } })
    expect(second.entity).toEqual({ id: 'first-lakeshore-credit-union', name: 'First Lakeshore Credit Union' })
    expect(first.reference).not.toBe(second.reference)
  })

  test('requests balances and transactions only, and sends Stripe no name', async () => {
    const harness = await open()
    await link(harness)
    expect(harness.simulator.state.sessions[0]).toMatchObject({
      permissions: ['balances', 'transactions'],
      prefetch: ['balances', 'transactions'],
    })
    expect(harness.simulator.state.customers[0]?.metadata).toEqual({ company: 'company-1' })
  })

  test('gives the page the session and the language, and never the secret key', async () => {
    const harness = await open()
    const { widget } = await startWidget(harness, { locale: 'fr-CA' })
    expect(widget.params).toEqual({
      publishableKey: 'pk_test_canary',
      clientSecret: expect.stringMatching(/^fcsess_.*_secret_/),
      locale: 'fr-CA',
    })
    expect(JSON.stringify(widget)).not.toContain(SECRET_KEY)
  })

  test('allows Stripe’s own origins in production', async () => {
    const harness = await open()
    const hosts = { api: harness.kit.hosts.api ?? '', js: 'https://js.stripe.com' }
    const { widget } = await startWidget({ ...harness, kit: { ...harness.kit, hosts } })
    expect(widget.script).toBe('https://js.stripe.com/v3/')
    expect(widget.origins).toContain('https://hooks.stripe.com')
  })

  test('asks Stripe what was linked, whatever the browser sends', async () => {
    const harness = await open()
    const { widget, memo } = await startWidget(harness)
    await expect(completeLink(harness, memo, { done: 'yes', accounts: 'fca_forged' })).rejects.toThrow(InputRefused)
    await linkAtStripe(harness, widget)
    expect(await completeLink(harness, memo, { failure: 'so it says' })).toHaveLength(1)
  })

  test('of another customer’s session is refused', async () => {
    const harness = await open()
    const { widget, memo } = await startWidget(harness)
    await linkAtStripe(harness, widget)
    const forged = completeLink(harness, { ...Object(memo), customer: 'cus_of_another_company' })
    expect((await failureOf(forged)).message).toBe('the session belongs to another customer')
  })

  test('without any selected account connects nothing and says so', async () => {
    const harness = await open()
    await expect(link(harness, { accounts: 0 })).rejects.toThrow(InputRefused)
  })

  test.each([
    ['invalidKey', true],
    ['noPermission', true],
    ['outage', false],
  ])('with %s reports the operator’s key: %s', async (fault, isClientRefused) => {
    const harness = await open()
    harness.simulator.fault(fault)
    const failure = await failureOf(startWidget(harness))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', isClientRefused])
  })
})

describe('a repair', () => {
  test('links the same bank again for the same customer, and its accounts keep their ids', async () => {
    const harness = await open()
    const grant = await link(harness)
    const ids = harness.simulator.accounts().map(({ id }) => id)
    for (const id of ids) harness.simulator.editAccount(id, { status: 'inactive' })
    expect((await failureOf(pullNamed(stripeConnector, 'accounts').fetch(sessionOf(harness, grant), null))).kind).toBe('reconnect')
    const again = await link(harness, { reconnect: grant.credentials })
    expect(again).toEqual(grant)
    expect(harness.simulator.accounts().map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'active']))
  })

  test('with another bank names that bank, so that the engine refuses it', async () => {
    const harness = await open()
    const grant = await link(harness)
    const other = await link(harness, { reconnect: grant.credentials, bank: 'First Lakeshore Credit Union' })
    expect(other.entity.id).not.toBe(grant.entity.id)
  })
})

describe('a disconnect', () => {
  test('disconnects every account of the bank, and succeeds a second time', async () => {
    const harness = await open()
    const grant = await link(harness)
    await stripeConnector.disconnect?.(harness.kit, grant.credentials)
    await stripeConnector.disconnect?.(harness.kit, grant.credentials)
    expect(new Set(harness.simulator.accounts().map(({ status }) => status))).toEqual(new Set(['disconnected']))
    expect((await failureOf(pullNamed(stripeConnector, 'accounts').fetch(sessionOf(harness, grant), null))).kind).toBe('reconnect')
  })

  test('affects no account of another bank of the same customer', async () => {
    const harness = await open()
    const grant = await link(harness)
    await link(harness, { reconnect: grant.credentials, bank: 'First Lakeshore Credit Union' })
    await stripeConnector.disconnect?.(harness.kit, grant.credentials)
    const others = harness.simulator.accounts().filter(({ institution }) => institution !== BANK)
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['active']))
  })
})
