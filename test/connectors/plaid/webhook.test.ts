import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Kit, SourceError } from '../../../src/connectors/contract/contract.ts'
import type { Hint, WebhookRequest } from '../../../src/connectors/contract/hints.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { link, openHarness, run, walkLink } from './harness.ts'

const PATH = '/webhook_verification_key/get'

function read(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  if (!plaidConnector.readWebhook) throw new Error('Plaid sends webhooks')
  return plaidConnector.readWebhook(kit, request)
}

describe('webhooks as the simulator sends them', () => {
  const harness = openForTests(openHarness)
  const grant = openForTests(() => link(harness))

  beforeAll(async () => {
    await run(sessionOf(harness, grant), 'transactions')
  })

  const fire = async (code: string): Promise<Hint[]> => {
    await harness.simulator.fireWebhook(grant.reference ?? '', code)
    const last = harness.received.at(-1)
    if (!last) throw new Error('nothing was received')
    return await read(harness.kit, last)
  }

  test.each(['SYNC_UPDATES_AVAILABLE', 'DEFAULT_UPDATE', 'LOGIN_REPAIRED', 'NEW_ACCOUNTS_AVAILABLE', 'USER_ACCOUNT_REVOKED'])(
    '%s hints at changed data',
    async (code) => {
      expect(await fire(code)).toEqual([{ kind: 'changed', reference: grant.reference }])
    },
  )

  test.each(['ERROR', 'PENDING_DISCONNECT', 'USER_PERMISSION_REVOKED'])('%s hints at a reconnect', async (code) => {
    expect(await fire(code)).toEqual([{ kind: 'reconnect', reference: grant.reference }])
  })

  test.each(['WEBHOOK_UPDATE_ACKNOWLEDGED', 'RECURRING_TRANSACTIONS_UPDATE', 'A_CODE_OF_TOMORROW'])('%s gives no hint', async (code) => {
    expect(await fire(code)).toEqual([])
  })

  test('a finished link session names the link token that its memo contains', async () => {
    const { url, memo } = await startLink(harness)
    harness.received.length = 0
    await walkLink(url)
    await harness.simulator.webhooksSettled()
    const hints = (await Promise.all(harness.received.map((request) => read(harness.kit, request)))).flat()
    expect(hints).toEqual([{ kind: 'linked', memoMatch: Object(memo).linkToken }])
    expect(await completeLink(harness, memo)).toHaveLength(1)
  })

  test('a link session that the owner left gives no hint', async () => {
    const { url } = await startLink(harness)
    await submitPage((await openPage(url)).html, 'exit', [])
    await harness.simulator.webhooksSettled()
    const last = harness.received.at(-1)
    expect(last && (await read(harness.kit, last))).toEqual([])
  })

  test('new transactions are announced once the item was synced', async () => {
    harness.received.length = 0
    harness.simulator.moveClock(86_400_000)
    await harness.simulator.webhooksSettled()
    const bodies = harness.received.map((request): unknown => JSON.parse(new TextDecoder().decode(request.body)))
    expect(bodies).toContainEqual(expect.objectContaining({ webhook_code: 'SYNC_UPDATES_AVAILABLE', item_id: grant.reference }))
  })

  test('an error at Plaid is not a bad signature: the webhook is to be retried', async () => {
    await harness.simulator.fireWebhook(grant.reference ?? '', 'SYNC_UPDATES_AVAILABLE')
    const last = harness.received.at(-1)
    if (!last) throw new Error('nothing was received')
    harness.simulator.fault('unavailable')
    expect((await failureOf(read(harness.kit, last))).kind).toBe('unavailable')
  })
})

describe('forged webhooks are refused', () => {
  const NOW = new Date('2026-11-20T15:30:00Z')
  const BODY = new TextEncoder().encode('{ "webhook_type": "TRANSACTIONS", "webhook_code": "SYNC_UPDATES_AVAILABLE", "item_id": "item-1" }')
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

  /** A Plaid that knows one key. */
  const kitWith = (changes: Record<string, unknown> = {}, status = 200): Kit => ({
    app: { clientId: 'c', secret: 's' },
    hosts: { api: 'https://plaid.invalid' },
    now: () => NOW,
    http: async (request) => {
      if (!request.url.endsWith(PATH)) throw new SourceError('unavailable', 'not asked for')
      const { x = '', y = '' } = own.publicKey.export({ format: 'jwk' })
      const key = { alg: 'ES256', crv: 'P-256', kid: 'key-1', kty: 'EC', use: 'sig', x, y, created_at: 1, expired_at: null, ...changes }
      const answer =
        status === 200 ? { key, request_id: 'r' } : { error_type: 'INVALID_INPUT', error_code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID' }
      return { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(answer)) }
    },
  })

  interface Signing {
    key?: KeyObject | Uint8Array
    alg?: string
    /** Omitted from the header if null. */
    kid?: string | null
    claims?: Record<string, unknown>
    ageSeconds?: number
  }
  const sign = ({ key = own.privateKey, alg = 'ES256', kid = 'key-1', claims = {}, ageSeconds = 0 }: Signing = {}): Promise<string> =>
    new SignJWT({
      request_body_sha256: createHash('sha256').update(BODY).digest('hex'),
      iat: Math.floor(NOW.getTime() / 1000) - ageSeconds,
      ...claims,
    })
      .setProtectedHeader(kid === null ? { alg } : { alg, kid })
      .sign(key)
  const requestWith = (token: string, body = BODY): WebhookRequest => ({ headers: { 'plaid-verification': token }, body })
  const unsigned = (header: object): string =>
    `${encode(header)}.${encode({ iat: NOW.getTime() / 1000, request_body_sha256: 'a'.repeat(64) })}.`

  test('a genuine one is accepted, so these tests can fail', async () => {
    expect(await read(kitWith(), requestWith(await sign()))).toEqual([{ kind: 'changed', reference: 'item-1' }])
  })

  test('one from the last five minutes, or slightly ahead of our clock, is accepted', async () => {
    expect(await read(kitWith(), requestWith(await sign({ ageSeconds: 300 })))).toHaveLength(1)
    expect(await read(kitWith(), requestWith(await sign({ ageSeconds: -59 })))).toHaveLength(1)
  })

  const FORGERIES: [string, () => Promise<[Kit, WebhookRequest]>][] = [
    ['without a signature', async () => [kitWith(), { headers: {}, body: BODY }]],
    ['with an empty signature', async () => [kitWith(), requestWith('')]],
    ['with a signature that is no token', async () => [kitWith(), requestWith('a.b.c')]],
    ['signed with nothing (alg none)', async () => [kitWith(), requestWith(unsigned({ alg: 'none', kid: 'key-1' }))]],
    ['signed with a shared secret (HS256)', async () => [kitWith(), requestWith(await sign({ key: new Uint8Array(32), alg: 'HS256' }))]],
    ['signed with RSA', async () => [kitWith(), requestWith(await sign({ key: rsa.privateKey, alg: 'RS256' }))]],
    ['signed with another key', async () => [kitWith(), requestWith(await sign({ key: other.privateKey }))]],
    ['without a key id', async () => [kitWith(), requestWith(await sign({ kid: null }))]],
    ['with a key id that is a path', async () => [kitWith(), requestWith(await sign({ kid: '../../admin' }))]],
    ['with a key that Plaid does not know', async () => [kitWith({}, 400), requestWith(await sign())]],
    ['with a key that has expired', async () => [kitWith({ expired_at: 1_600_000_000 }), requestWith(await sign())]],
    ['six minutes old', async () => [kitWith(), requestWith(await sign({ ageSeconds: 360 }))]],
    ['one second too old', async () => [kitWith(), requestWith(await sign({ ageSeconds: 301 }))]],
    ['from the future', async () => [kitWith(), requestWith(await sign({ ageSeconds: -600 }))]],
    ['without a time', async () => [kitWith(), requestWith(await sign({ claims: { iat: undefined } }))]],
    ['with a time that is text', async () => [kitWith(), requestWith(await sign({ claims: { iat: 'now' } }))]],
    ['with another body', async () => [kitWith(), requestWith(await sign(), new TextEncoder().encode('{"webhook_type":"ITEM"}'))]],
    [
      'with the body written again',
      async () => [kitWith(), requestWith(await sign(), new TextEncoder().encode(JSON.stringify(JSON.parse(decode(BODY)))))],
    ],
    ['without a body hash', async () => [kitWith(), requestWith(await sign({ claims: { request_body_sha256: undefined } }))]],
    ['with an empty body hash', async () => [kitWith(), requestWith(await sign({ claims: { request_body_sha256: '' } }))]],
    ['with a cut body hash', async () => [kitWith(), requestWith(await sign({ claims: { request_body_sha256: 'ab12' } }))]],
    ['with changed claims', async () => [kitWith(), requestWith(await tampered())]],
    ['with the signature cut off', async () => [kitWith(), requestWith((await sign()).replace(/\.[^.]*$/, '.'))]],
    ['with two tokens in one header', async () => [kitWith(), requestWith(`${await sign()}, ${await sign()}`)]],
    [
      'with a time before which it must not count',
      async () => [kitWith(), requestWith(await sign({ claims: { nbf: NOW.getTime() / 1000 + 900 } }))],
    ],
  ]

  const tampered = async (): Promise<string> => {
    const [header, , signature] = (await sign({ ageSeconds: 9_000 })).split('.')
    return `${header}.${encode({ iat: NOW.getTime() / 1000, request_body_sha256: createHash('sha256').update(BODY).digest('hex') })}.${signature}`
  }

  test.each(FORGERIES)('%s', async (_title, forge) => {
    const [kit, request] = await forge()
    expect((await failureOf(read(kit, request))).kind).toBe('reconnect')
  })

  test('a signed body that is not JSON is bad data', async () => {
    const body = new TextEncoder().encode('<xml/>')
    const token = await sign({ claims: { request_body_sha256: createHash('sha256').update(body).digest('hex') } })
    expect((await failureOf(read(kitWith(), requestWith(token, body)))).kind).toBe('badData')
  })
})

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
