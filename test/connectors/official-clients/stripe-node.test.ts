import Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { startWidget } from '../../harness/redirect.ts'
import { openReceiver } from '../../harness/webhook-receiver.ts'
import { BANK, linkAtStripe, openHarness, SECRET_KEY, WEBHOOK_SECRET } from '../stripe/harness.ts'

/** Limit that the client requests for each list: more than a page. */
const ALL = 10_000

describe('stripe, Stripe’s own client, at the simulator', () => {
  const harness = openForTests(() => openHarness({ giant: { accounts: 130, perDay: 4 } }))
  let stripe: Stripe
  let customer = ''
  let sessionId = ''

  beforeAll(async () => {
    const { hostname, port } = new URL(harness.url)
    stripe = new Stripe(SECRET_KEY, { host: hostname, port: Number(port), protocol: 'http', maxNetworkRetries: 0, telemetry: false })
    customer = (await stripe.customers.create({ metadata: { company: 'judge' } })).id
    const session = await stripe.financialConnections.sessions.create({
      account_holder: { type: 'customer', customer },
      permissions: ['balances', 'transactions'],
      prefetch: ['balances', 'transactions'],
    })
    sessionId = session.id
    const { widget } = await startWidget(harness)
    await linkAtStripe(harness, { ...widget, params: { clientSecret: session.client_secret ?? '' } })
  })

  test('retrieves the session with the linked accounts', async () => {
    const session = await stripe.financialConnections.sessions.retrieve(sessionId)
    expect([session.account_holder?.customer, session.accounts.data[0]?.institution_name, session.accounts.has_more]).toEqual([
      customer,
      BANK,
      true,
    ])
  })

  test('lists accounts with automatic paging, and retrieves one', async () => {
    const listed = await stripe.financialConnections.accounts
      .list({ account_holder: { customer }, limit: 3 })
      .autoPagingToArray({ limit: ALL })
    expect([listed.length, new Set(listed.map(({ id }) => id)).size]).toEqual([11, 11])
    const checking = listed.find(({ subcategory, category }) => subcategory === 'checking' && category === 'cash')
    const account = await stripe.financialConnections.accounts.retrieve(checking?.id ?? '')
    expect(account.object).toBe('financial_connections.account')
    expect(Object.values(account.balance?.current ?? {}).every(Number.isInteger)).toBe(true)
  })

  test('subscribes, refreshes and lists changes since a refresh', async () => {
    const [account] = (await stripe.financialConnections.accounts.list({ account_holder: { customer }, limit: 100 })).data.toReversed()
    const id = account?.id ?? ''
    expect((await stripe.financialConnections.accounts.subscribe(id, { features: ['transactions'] })).subscriptions).toEqual([
      'transactions',
    ])
    const all = await stripe.financialConnections.transactions.list({ account: id, limit: 100 }).autoPagingToArray({ limit: ALL })
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['pending', 'posted', 'void']))
    harness.moveTime(86_400_000)
    const refreshed = await stripe.financialConnections.accounts.refresh(id, { features: ['balance', 'transactions'] })
    expect(refreshed.balance_refresh?.status).toBe('pending')
    const after = account?.transaction_refresh?.id ?? ''
    const changed = await stripe.financialConnections.transactions
      .list({ account: id, transaction_refresh: { after } })
      .autoPagingToArray({ limit: ALL })
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.length).toBeLessThan(all.length / 10)
    expect((await stripe.financialConnections.transactions.retrieve(changed[0]?.id ?? '')).account).toBe(id)
  })

  test('parses refusals as its own error classes', async () => {
    await expect(stripe.financialConnections.accounts.retrieve('fca_nobody')).rejects.toMatchObject({
      code: 'resource_missing',
      statusCode: 404,
    })
    harness.simulator.fault('throttle')
    await expect(stripe.financialConnections.accounts.list()).rejects.toMatchObject({ type: 'StripeRateLimitError' })
    harness.simulator.fault('invalidKey')
    await expect(stripe.financialConnections.accounts.list()).rejects.toMatchObject({ type: 'StripeAuthenticationError' })
  })

  test('is refused unknown permissions and features', async () => {
    const account_holder = { type: 'customer' as const, customer }
    const sessionWith = (permissions: string[], prefetch: string[] = []) =>
      stripe.financialConnections.sessions.create({ account_holder, permissions, ...(prefetch.length > 0 ? { prefetch } : {}) })
    await expect(sessionWith(['balances', 'everything'])).rejects.toMatchObject({ param: 'permissions', statusCode: 400 })
    await expect(sessionWith(['balances'], ['payment_method'])).rejects.toMatchObject({ param: 'prefetch', statusCode: 400 })
    await expect(sessionWith(['balances'], ['transactions'])).rejects.toMatchObject({ param: 'prefetch', statusCode: 400 })
    const [account] = (await stripe.financialConnections.accounts.list({ account_holder: { customer } })).data
    const refused = stripe.financialConnections.accounts.refresh(account?.id ?? '', { features: ['balances'] })
    await expect(refused).rejects.toMatchObject({ param: 'features', statusCode: 400 })
  })

  test('accepts the simulator’s signatures, but not those of another secret', async () => {
    const receiver = await openReceiver()
    const account = harness.simulator.accounts()[0]?.id ?? ''
    await harness.simulator.sendEvent(receiver.webhookUrl, 'financial_connections.account.created', account, { at: harness.kit.now() })
    await receiver.close()
    const [received] = receiver.received
    const [text, signature] = [Buffer.from(received?.body ?? []), received?.headers['stripe-signature'] ?? '']
    const receivedAt = harness.kit.now().getTime()
    const read = (secret: string) => stripe.webhooks.constructEvent(text, signature, secret, 300, undefined, receivedAt)
    expect(read(WEBHOOK_SECRET).type).toBe('financial_connections.account.created')
    expect(() => read('whsec_other')).toThrow()
  })

  test('disconnects an account, whose status then changes', async () => {
    const [account] = (await stripe.financialConnections.accounts.list({ account_holder: { customer } })).data
    expect((await stripe.financialConnections.accounts.disconnect(account?.id ?? '')).status).toBe('disconnected')
  })
})
