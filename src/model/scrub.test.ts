import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scrub } from './scrub.ts'

const CANARY = 'Kn4ry-aB3xY9_zq'

describe('scrub takes the secret out of', () => {
  test.each([
    ['a form body', `grant_type=refresh_token&refresh_token=${CANARY}&client_id=abc`],
    ['a form body that starts with it', `code=${CANARY}&redirect_uri=x`],
    ['a query string', `GET https://h.example/cb?code=${CANARY}&state=x`],
    ['a connect link', `http://127.0.0.1:8480/connect?serviceId=1&instanceId=2&accountId=3&token=${CANARY}`],
    ['a link inside a link', `https://h.example/login?next=%2Fconnect%3Fa%3D1%26token%3D${CANARY}%26b%3D2`],
    ['JSON', `{"client_secret":"${CANARY}","x":1}`],
    ['JSON with spaces', `{ "password" : "${CANARY}" }`],
    ['JSON in camelCase', `{"refreshToken":"${CANARY}"}`],
    ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ newPassword: CANARY, a: 1 }) })],
    ['JSON in JSON in JSON', JSON.stringify(JSON.stringify({ body: JSON.stringify({ access_token: CANARY }) }))],
    ['a list in JSON', `{"set-cookie":["sid=${CANARY}; Path=/"]}`],
    ['JSON with a code', `{"code":"4/0Ab${CANARY}","status":200}`],
    ['an inspected object', `{ clientSecret: '${CANARY}', id: 5 }`],
    ['a header line', `authorization: Bearer ${CANARY}`],
    ['a header in capitals', `AUTHORIZATION: BASIC ${CANARY}==`],
    ['a header of its own name', `X-Api-Key: ${CANARY}`],
    ['a cookie line', `Cookie: a=b; __Host-s=${CANARY}`],
    ['a list of headers', `["Authorization","Bearer ${CANARY}"]`],
    ['a sentence', `login failed with password: ${CANARY}, try again`],
    ['a database address', `postgres://app:${CANARY}@db:5432/name`],
    ['a signing secret', `key whsec_${CANARY}+/= was used`],
    ['a token of an aggregator', `item access-sandbox-${CANARY} expired`],
    ['an API key of ours', `the key ch_live_${CANARY} was refused`],
    ['a JSON Web Token', `got eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.${CANARY} here`],
    ['a key block', `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`],
  ])('%s', (_where, text) => {
    expect(scrub(text)).not.toContain(CANARY)
  })

  test('a quoted value with spaces and quotes in it, whole', () => {
    expect(scrub(JSON.stringify({ password: 'correct "horse" battery', user: 'ann' }))).toBe('{"password":"[secret]","user":"ann"}')
  })
})

describe('scrub cuts to the last four digits', () => {
  test.each([
    ['account 000123456789 is closed', 'account ••••6789 is closed'],
    ['{"number":"123456789"}', '{"number":"••••6789"}'],
    ['{"number":123456789012,"a":1}', '{"number":"••••9012","a":1}'],
    ['"{\\"number\\":123456789012}"', '"{\\"number\\":\\"••••9012\\"}"'],
    ['[5,123456789012]', '[5,9012]'],
    ['IBAN DE89 3704 0044 0532 0130 00.', 'IBAN ••••3000.'],
    ['IBAN GB82WEST12345698765432', 'IBAN ••••5432'],
    ['card 4111 1111 1111 1111', 'card ••••1111'],
  ])('%s', (text, expected) => {
    expect(scrub(text)).toBe(expected)
  })
})

describe('scrub leaves alone', () => {
  test.each([
    '{"level":30,"time":1763669000000,"pid":4194303,"msg":"done"}',
    '{"time":"2026-11-20T20:11:12.123456789Z","expiresAt":1763669000,"durationMs":123456789}',
    '2026-11-20 20:11:12 page 3 of 12, 12345678 bytes',
    'company 123e4567-e89b-12d3-a456-426614174000',
    'digest e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '{"code":"ECONNREFUSED","statusCode":500}',
    '{"code":"ERR_TLS_CERT_ALTNAME_INVALID"}',
    'the token has expired and the password was wrong',
    '{"tokenType":"bearer","isSecret":true}',
    '{"responseTime":0.123456789012}',
    'http://127.0.0.1:8480/admin/api/v1/auth/login',
  ])('%s', (text) => {
    expect(scrub(text)).toBe(text)
  })
})

describe('scrub', () => {
  const line = fc.string({
    unit: fc.constantFrom('"', '\\', ':', '=', '&', ' ', '{', '}', '[', ']', ',', 'password', 'token', 'code', 'Bearer ', '123456789', 'a'),
  })

  test('run twice gives what it gave once', () => {
    fc.assert(fc.property(line, (text) => scrub(scrub(text)) === scrub(text)))
  })

  test('takes a token out of the middle of a word, and leaves what stands before it', () => {
    expect(scrub('id-eyJhbGciOi.eyJzdWIi.c2ln and a.eyJhbGciOi.eyJzdWIi.c2ln, but not myeyJa.b.c')).toBe(
      'id-[secret] and a.[secret], but not myeyJa.b.c',
    )
  })

  test('keeps a JSON document a JSON document', () => {
    const json = fc
      .jsonValue()
      .map((value) => JSON.stringify({ token: value, nested: JSON.stringify({ password: value, n: 123456789012 }), value }))
    fc.assert(
      fc.property(json, (text) => {
        JSON.parse(scrub(text))
      }),
    )
  })

  test.each(['a', '1', '\\', '"', '"token":"', 'password=', 'token":', 'Bearer ', '://', 'eyJ', '-eyJ', '.eyJ', '-eyJa.', 'AB12', '1 '])(
    'gets through a long text of %j',
    (piece) => {
      expect(scrub(piece.repeat(300_000 / piece.length))).toBeTypeOf('string')
    },
  )
})
