import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { finicityConnector } from '../../../src/connectors/finicity/client.ts'
import { readFinicityWebhook as read } from '../../../src/connectors/finicity/webhook.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { accountWithRole, type Harness, KEYS, link, openHarness, walkLink } from './harness.ts'

describe('webhooks', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await openHarness({ app: { txPush: 'yes' } })
  })
  afterEach(() => harness.close())

  const hintsOf = async () => {
    await harness.simulator.webhooksSettled()
    return (await Promise.all(harness.received.splice(0).map((request) => read(harness.kit, request)))).flat()
  }

  test('a finished session names the match of its start, so that it is completed without the browser', async () => {
    const { url, memo, match } = await startLink(harness)
    await walkLink(url)
    const hints = await hintsOf()
    expect(hints.filter(({ kind }) => kind === 'linked')).toContainEqual({ kind: 'linked', memoMatch: match })
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('a session that the owner left gives no hint', async () => {
    const { url } = await startLink(harness)
    await submitPage((await openPage(url)).html, 'exit', [])
    expect(await hintsOf()).toEqual([])
  })

  test('events name the customer of the grant', async () => {
    const grant = await link(harness)
    expect(await hintsOf()).toContainEqual({ kind: 'changed', reference: grant.reference })
  })

  test('TxPUSH: the listener echoes the code, and a notice gives a hint for the customer', async () => {
    const grant = await link(harness)
    await finicityConnector.subscribe?.(sessionOf(harness, grant), harness.webhookUrl)
    await hintsOf()
    expect(harness.simulator.verified.length).toBeGreaterThan(10)
    harness.simulator.push(accountWithRole(harness, grant, 'checking'))
    expect(await hintsOf()).toContainEqual({ kind: 'changed', reference: grant.reference })
  })

  test('TxPUSH is only subscribed if the operator says that the contract includes it', async () => {
    const grant = await link(harness)
    const calls = harness.exchanges.length
    const { txPush: _off, ...app } = harness.kit.app
    await finicityConnector.subscribe?.({ ...sessionOf(harness, grant), kit: { ...harness.kit, app } }, harness.webhookUrl)
    expect(harness.exchanges).toHaveLength(calls)
  })
})

describe('forged webhooks', () => {
  const kit = { app: KEYS, hosts: {}, now: () => new Date(0), http: () => Promise.reject(new Error('not asked for')) }
  const BODY = '{ "customerId": 6030781868, "eventType": "done", "webhookData": { "match": "m" } }'
  const signed = (body: string, key: string = KEYS.partnerSecret) => createHmac('sha256', key).update(body).digest('hex')
  const webhook = (body: string, headers: Record<string, string>): WebhookRequest => ({ headers, body: new TextEncoder().encode(body) })

  test('the signature covers the exact bytes, which are what is parsed', async () => {
    expect(await read(kit, webhook(BODY, { 'x-finicity-signature': signed(BODY) }))).toEqual([
      { kind: 'linked', memoMatch: 'm' },
      { kind: 'changed', reference: '6030781868' },
    ])
  })

  test.each([
    ['no signature', {}],
    ['an empty signature', { 'x-finicity-signature': '' }],
    ['another key', { 'x-finicity-signature': signed(BODY, 'other') }],
    ['another body', { 'x-finicity-signature': signed(`${BODY} `) }],
    ['Base64 for hex', { 'x-finicity-signature': createHmac('sha256', KEYS.partnerSecret).update(BODY).digest('base64') }],
    ['a TxPUSH header beside a bad signature', { 'x-finicity-signature': 'bad', 'txpush-signature': 'x' }],
  ])('%s is refused', async (_what, headers) => {
    expect((await failureOf(read(kit, webhook(BODY, headers as Record<string, string>)))).kind).toBe('reconnect')
  })

  test('without a partner secret nothing is accepted', async () => {
    const bare = { ...kit, app: {} }
    expect((await failureOf(read(bare, webhook(BODY, { 'x-finicity-signature': signed(BODY, '') })))).kind).toBe('reconnect')
  })

  test.each(['nonsense', '{}', '[]'])('%s, correctly signed, is bad data', async (body) => {
    expect((await failureOf(read(kit, webhook(body, { 'x-finicity-signature': signed(body) })))).kind).toBe('badData')
  })

  test('a ping gives no hint', async () => {
    const body = '{"eventType":"ping","payload":{}}'
    expect(await read(kit, webhook(body, { 'x-finicity-signature': signed(body) }))).toEqual([])
  })
})
