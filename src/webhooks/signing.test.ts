import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { toEventBody, toMessageId } from '../model/events.ts'
import { canonicalJson } from '../model/values/canonical-json.ts'
import { printSecret, signBody, signHeaders } from './signing.ts'
import { verifyBody, verifyWebhook } from './verify.ts'

/** Published example, the reference for receivers in other languages. */
const secretText = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const secret = Uint8Array.from({ length: 32 }, (_, index) => index)
const eventId = '6f1e1b0e-3a0b-4b57-9d0c-2f4f8f1f9a11'
const at = new Date(1795196580_000)
const signature = 'v1,E7vGBen/qUCd430fcK5sjDZGKCZsMU6JCQ/xrr/yv2M='
const body =
  '{"Class":"DataConnection","Data":{"AccountExternalId":null,"ApplicationId":null,"CategoryId":"7a7a7a7a-0000-4000-8000-000000000007",' +
  '"CategoryName":"Banking","CompanyId":"5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02","Email":"owner@example.com","IssuedAs":"Manual",' +
  '"ModifiedOn":"2026-11-20T17:43:00.123","ServiceId":"9c1b2a33-1111-4222-8333-444455556666","ServiceName":"Crédit Münchén \\"Bank\\"",' +
  '"SessionShareId":"0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01"},"Identifier":"NormalizedData.6f1e1b0e-3a0b-4b57-9d0c-2f4f8f1f9a11",' +
  '"MessageType":"NormalizedData","Signature":"a10b63da7642eb157c6c5071f1b36f782dc9af7001cf500baf304edce2cd0d3f"}'

const canonical = canonicalJson(
  toEventBody(
    {
      id: eventId,
      kind: 'NormalizedData',
      companyId: '5d3f0a52-8f7e-4f06-9c53-7f0b0f0a9e02',
      serviceId: '9c1b2a33-1111-4222-8333-444455556666',
      sessionId: '0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01',
      data: {
        serviceName: 'Crédit Münchén "Bank"',
        categoryName: 'Banking',
        categoryId: '7a7a7a7a-0000-4000-8000-000000000007',
        email: 'owner@example.com',
      },
    },
    new Date('2026-11-20T17:43:00.123Z'),
  ),
)
const headers = { ...signHeaders(toMessageId(eventId), at, body, [secret]) }

describe('signing', () => {
  test('gives the published example, byte for byte', () => {
    expect(printSecret(secret)).toBe(secretText)
    expect(signBody(canonical, secret)).toBe(body)
    expect(headers).toEqual({ 'webhook-id': `evt_${eventId}`, 'webhook-timestamp': '1795196580', 'webhook-signature': signature })
  })

  test('the signed body is itself canonical', () => {
    expect(canonicalJson(JSON.parse(body))).toBe(body)
  })

  test('a library of the standard accepts it', () => {
    const now = new Date()
    const fresh = { ...signHeaders(toMessageId(eventId), now, body, [secret]) }
    expect(new Webhook(secretText).verify(body, fresh)).toEqual(JSON.parse(body))
  })

  test('while a secret is being replaced, a receiver with either secret accepts the headers', () => {
    const other = new Uint8Array(32).fill(7)
    const both = { ...signHeaders(toMessageId(eventId), at, body, [secret, other]) }
    expect(verifyWebhook(both, body, secretText, at)).toBe(true)
    expect(verifyWebhook(both, body, printSecret(other), at)).toBe(true)
    expect(verifyWebhook(both, body, printSecret(new Uint8Array(32)), at)).toBe(false)
  })
})

describe('the check that receivers copy', () => {
  test('accepts what we sent', () => {
    expect(verifyWebhook(headers, body, secretText, at)).toBe(true)
    expect(verifyBody(body, secretText)).toBe(true)
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('refuses a message without %s', (name) => {
    expect(verifyWebhook({ ...headers, [name]: undefined }, body, secretText, at)).toBe(false)
  })

  test('refuses a message that is more than five minutes old or early', () => {
    expect(verifyWebhook(headers, body, secretText, new Date(at.getTime() + 301_000))).toBe(false)
    expect(verifyWebhook(headers, body, secretText, new Date(at.getTime() - 301_000))).toBe(false)
  })

  test('refuses 10,000 changed bodies', () => {
    fc.assert(
      fc.property(
        mutationsOf(body),
        (changed) => changed === body || (!verifyWebhook(headers, changed, secretText, at) && !verifyBody(changed, secretText)),
      ),
      { numRuns: 10_000 },
    )
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)('refuses 2,000 changes of %s', (name) => {
    fc.assert(
      fc.property(
        mutationsOf(headers[name]),
        (changed) => changed.split(' ').includes(headers[name]) || !verifyWebhook({ ...headers, [name]: changed }, body, secretText, at),
      ),
      { numRuns: 2000 },
    )
  })

  test('a body signature is no header signature and the other way round', () => {
    const inner = Buffer.from(JSON.parse(body).Signature, 'hex').toString('base64')
    expect(verifyWebhook({ ...headers, 'webhook-signature': `v1,${inner}` }, body, secretText, at)).toBe(false)
  })
})

/** Text with one character replaced, removed, doubled, or in another case. */
function mutationsOf(text: string): fc.Arbitrary<string> {
  return fc
    .record({
      at: fc.nat(text.length - 1),
      length: fc.integer({ min: 0, max: 3 }),
      put: fc.string({ unit: 'binary', maxLength: 3 }),
      flip: fc.boolean(),
    })
    .map(({ at: place, length, put, flip }) => {
      const cut = text.slice(place, place + length)
      const flipped = cut === cut.toUpperCase() ? cut.toLowerCase() : cut.toUpperCase()
      return `${text.slice(0, place)}${flip ? flipped : put}${text.slice(place + length)}`
    })
}

describe('the time of a message', () => {
  test.each([
    [-301, false],
    [-300, true],
    [300, true],
    [300.5, false],
  ])('may differ by five minutes: %d s is taken: %s', (seconds, isTaken) => {
    expect(verifyWebhook(headers, body, secretText, new Date(at.getTime() + seconds * 1_000))).toBe(isTaken)
  })

  test.each(['1795196580x', 'x1795196580', '-1795196580', '1795196580.0', ' 1795196580', '1795196580\n', '0x6b008064', '1795196580000'])(
    'is whole seconds in digits: %j is refused, even where it is signed',
    (timestamp) => {
      const signed = createHmac('sha256', secret).update(`evt_1.${timestamp}.${body}`).digest('base64')
      const given = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` }
      expect(verifyWebhook(given, body, secretText, at)).toBe(false)
    },
  )
})

test.each(['x', ' ', '\n', '}', body])('a signed body with more behind it is refused: %j', (more) => {
  expect([verifyBody(body, secretText), verifyBody(`${body}${more}`, secretText)]).toEqual([true, false])
})
