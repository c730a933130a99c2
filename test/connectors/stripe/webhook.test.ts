import { describe, expect, test } from 'vitest'
import type { Hint, WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { stripeConnector } from '../../../src/connectors/stripe/client.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openReceiver } from '../../harness/webhook-receiver.ts'
import { link, openHarness, WEBHOOK_SECRET } from './harness.ts'

const harness = openForTests(openHarness)
const grant = openForTests(() => link(harness))
const receiver = openForTests(openReceiver)

async function send(type: string, options: { ageSeconds?: number; secrets?: string[] } = {}): Promise<WebhookRequest> {
  const at = new Date(harness.kit.now().getTime() - (options.ageSeconds ?? 0) * 1000)
  const account = harness.simulator.accounts()[0]?.id ?? ''
  await harness.simulator.sendEvent(receiver.webhookUrl, type, account, { at, ...(options.secrets ? { secrets: options.secrets } : {}) })
  const received = receiver.received.at(-1)
  if (!received) throw new Error('nothing was received')
  return received
}

function read(request: WebhookRequest): Promise<Hint[]> {
  if (!stripeConnector.readWebhook) throw new Error('Stripe sends webhooks')
  return stripeConnector.readWebhook(harness.kit, request)
}

describe('a Stripe event', () => {
  test.each(['refreshed_balance', 'refreshed_transactions', 'created', 'reactivated', 'deactivated', 'disconnected'])(
    'of an account that was %s hints at changed data of its customer',
    async (what) => {
      expect(await read(await send(`financial_connections.account.${what}`))).toEqual([{ kind: 'changed', reference: grant.reference }])
    },
  )

  test.each(['financial_connections.account.refreshed_ownership', 'customer.created'])('%s gives no hint', async (type) => {
    expect(await read(await send(type))).toEqual([])
  })

  test('signed by an old and a new secret is accepted with either', async () => {
    expect(await read(await send('financial_connections.account.created', { secrets: ['whsec_new', WEBHOOK_SECRET] }))).toHaveLength(1)
  })

  test.each([
    ['by another secret', { secrets: ['whsec_other'] }],
    ['by nobody', { secrets: [] }],
    ['more than five minutes ago', { ageSeconds: 301 }],
    ['more than five minutes in the future', { ageSeconds: -301 }],
  ])('signed %s is refused', async (_how, options) => {
    const failure = await failureOf(read(await send('financial_connections.account.created', options)))
    expect(failure.message).toMatch(/^webhook refused/)
  })

  test('with one changed byte in the body is refused', async () => {
    const request = await send('financial_connections.account.created')
    const body = Buffer.from(request.body)
    body[body.length - 2] = 0x20
    await failureOf(read({ ...request, body }))
  })
})
