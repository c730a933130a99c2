import { describe, expect, test } from 'vitest'
import type { Hint, WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openReceiver } from '../../harness/webhook-receiver.ts'
import { openHarness, WEBHOOK_SECRET } from './harness.ts'

const ENROLLMENT = 'enr_oiffb5cocakqmksbkg001'
const harness = openForTests(() => openHarness({ institutionCount: 2 }))
const receiver = openForTests(openReceiver)

async function send(type: string, payload: object, options: { ageSeconds?: number; secrets?: string[] } = {}): Promise<WebhookRequest> {
  const at = new Date(harness.kit.now().getTime() - (options.ageSeconds ?? 0) * 1000)
  await harness.simulator.sendWebhook(receiver.webhookUrl, type, payload, { at, ...(options.secrets ? { secrets: options.secrets } : {}) })
  const received = receiver.received.at(-1)
  if (!received) throw new Error('nothing was received')
  return received
}

function read(request: WebhookRequest): Promise<Hint[]> {
  if (!tellerConnector.readWebhook) throw new Error('Teller sends webhooks')
  return tellerConnector.readWebhook(harness.kit, request)
}

describe('a Teller webhook', () => {
  test.each(['disconnected', 'disconnected.account_locked', 'disconnected.user_action.mfa_required'])(
    'of %s hints at a reconnect',
    async (reason) => {
      const request = await send('enrollment.disconnected', { enrollment_id: ENROLLMENT, reason })
      expect(await read(request)).toEqual([{ kind: 'reconnect', reference: ENROLLMENT }])
    },
  )

  test('of processed transactions hints at changed data', async () => {
    const request = await send('transactions.processed', { enrollment_id: ENROLLMENT, transactions: [] })
    expect(await read(request)).toEqual([{ kind: 'changed', reference: ENROLLMENT }])
  })

  test.each(['webhook.test', 'account.number_verification.processed', 'of.tomorrow'])('of %s gives no hint', async (type) => {
    expect(await read(await send(type, { account_id: 'acc_1' }))).toEqual([])
  })

  test('signed by an old and a new secret is accepted with either', async () => {
    const payload = { enrollment_id: ENROLLMENT, reason: 'disconnected' }
    expect(await read(await send('enrollment.disconnected', payload, { secrets: ['the-new-one', WEBHOOK_SECRET] }))).toHaveLength(1)
  })

  test.each([
    ['by another secret', { secrets: ['not-ours'] }],
    ['by nobody', { secrets: [] }],
    ['more than three minutes ago', { ageSeconds: 181 }],
    ['more than three minutes in the future', { ageSeconds: -181 }],
  ])('signed %s is refused', async (_how, options) => {
    const failure = await failureOf(read(await send('enrollment.disconnected', { enrollment_id: ENROLLMENT }, options)))
    expect(failure.message).toMatch(/^webhook refused/)
  })

  test('with one changed byte in the body is refused', async () => {
    const request = await send('enrollment.disconnected', { enrollment_id: ENROLLMENT })
    const body = Buffer.from(request.body)
    body[body.length - 2] = 0x20
    await failureOf(read({ ...request, body }))
  })

  test('is refused while the operator has set no secret', async () => {
    const request = await send('transactions.processed', { enrollment_id: ENROLLMENT })
    const kit = { ...harness.kit, app: {} }
    const failure = await failureOf(tellerConnector.readWebhook?.(kit, request) ?? Promise.resolve())
    expect(failure.message).toContain('no key')
  })
})
