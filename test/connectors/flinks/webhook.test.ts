import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { flinksConnector } from '../../../src/connectors/flinks/client.ts'
import { readFlinksWebhook as read } from '../../../src/connectors/flinks/webhook.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { type Harness, link, openHarness, WEBHOOK_KEY } from './harness.ts'
import { HAS_SAMPLES, SAMPLE_FILE } from './samples.ts'

describe('webhooks', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness({ historyDays: 5 })
  })
  afterEach(() => harness.close())

  test.each(['flinks-authenticity-key', 'x-flinks-signature'] as const)(
    'signed under %s, it names the login of the grant',
    async (header) => {
      const grant = await link(harness)
      await harness.simulator.sendWebhook(harness.webhookUrl, grant.reference ?? '', 'GetAccountsDetail', WEBHOOK_KEY, header)
      const [request] = harness.received
      expect(request && (await read(harness.kit, request))).toEqual([{ kind: 'changed', reference: grant.reference }])
    },
  )

  test('a notice about the holder alone gives no hint', async () => {
    const grant = await link(harness)
    await harness.simulator.sendWebhook(harness.webhookUrl, grant.reference ?? '', 'KYC', WEBHOOK_KEY)
    const [request] = harness.received
    expect(request && (await read(harness.kit, request))).toEqual([])
  })

  test('a webhook signed with another key is refused', async () => {
    const grant = await link(harness)
    await harness.simulator.sendWebhook(harness.webhookUrl, grant.reference ?? '', 'GetAccountsDetail', 'another-key')
    const [request] = harness.received
    if (!request) throw new Error('nothing was received')
    expect((await failureOf(read(harness.kit, request))).kind).toBe('reconnect')
  })
})

describe('forged webhooks', () => {
  const kit = {
    app: { webhookKey: WEBHOOK_KEY },
    hosts: {},
    now: () => new Date(0),
    http: () => Promise.reject(new Error('not asked for')),
  }
  const BODY = '{ "ResponseType": "GetAccountsDetail", "Login": { "Id": "l-1" } }'
  const sign = (body: string, encoding: 'base64' | 'hex', key = WEBHOOK_KEY) => createHmac('sha256', key).update(body).digest(encoding)
  const request = (body: string, headers: Record<string, string>) => ({ headers, body: new TextEncoder().encode(body) })

  test.each([
    ['no signature', {}],
    ['hex for Base64', { 'flinks-authenticity-key': sign(BODY, 'hex') }],
    ['another body', { 'flinks-authenticity-key': sign(`${BODY}\n`, 'base64') }],
    ['a bad one before a good one', { 'flinks-authenticity-key': 'bad', 'x-flinks-signature': sign(BODY, 'base64') }],
  ])('%s is refused', async (_what, headers) => {
    expect((await failureOf(read(kit, request(BODY, headers as Record<string, string>)))).kind).toBe('reconnect')
  })

  test('without a key nothing is accepted', async () => {
    const bare = { ...kit, app: {} }
    expect((await failureOf(read(bare, request(BODY, { 'x-flinks-signature': sign(BODY, 'base64', '') })))).kind).toBe('reconnect')
  })

  test.each(['nonsense', '{}', '{"Login":{}}'])('%s, correctly signed, is bad data', async (body) => {
    expect((await failureOf(read(kit, request(body, { 'x-flinks-signature': sign(body, 'base64') })))).kind).toBe('badData')
  })
})

describe.skipIf(!HAS_SAMPLES)('Flinks’ documented example (skipped when ../shared/samples is absent)', () => {
  test('institutions are read with their names in both languages, and more are requested', async () => {
    const kit = {
      app: { customerId: 'c', secretKey: 's' },
      hosts: { api: 'https://flinks.invalid' },
      now: () => new Date(0),
      http: async () => ({ status: 200, headers: {}, body: readFileSync(SAMPLE_FILE) }),
    }
    expect(await flinksConnector.listInstitutions?.(kit, null)).toEqual({
      institutions: [
        { id: '1', name: 'BMO', countries: ['CA'], routingNumbers: [], url: 'https://www.bmo.com/main/personal' },
        { id: '2', name: 'Desjardins', countries: ['CA'], routingNumbers: [], url: 'https://www.desjardins.com/ca/index.jsp' },
      ],
      next: 2,
    })
  })
})
