import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fineractConnector } from '../../../src/connectors/fineract/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { refusalOfServer, submit } from '../../harness/form.ts'
import { openStrictKit } from '../core-bank/reading.ts'
import { BASIC, CANARY, oauthOf, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const newStrictKit = closedAfterEach(openStrictKit)
const [pullAccounts] = fineractConnector.pulls

describe('connecting', () => {
  test('with user and password returns a grant that does not expire', async () => {
    expect(await submit(await newHarness())).toEqual({
      credentials: { secret: expect.objectContaining({ tenant: 'default', clientId: '1' }), expiresAt: null },
      entity: { id: 'default/1/2022-03-14', name: 'Boulangerie Saint-Élie inc.' },
    })
  })

  test('through an identity provider names the same entity, with a token that expires', async () => {
    const at = await newHarness()
    const grant = await submit(at, oauthOf(at))
    expect(grant.entity).toEqual((await submit(at)).entity)
    expect(grant.credentials.expiresAt).toBe('2026-07-01T12:05:00.000Z')
  })

  test.each(['', '/', '/fineract-provider', '/fineract-provider/api/v1', '/fineract-provider/swagger-ui/index.html'])(
    'accepts an address that ends in "%s"',
    async (path) => {
      const at = await newHarness()
      const { credentials } = await submit(at, { address: `${at.url}${path}`, clientId: '0001' })
      expect(credentials.secret).toMatchObject({ address: `${at.url}/fineract-provider/api/v1`, clientId: '1' })
    },
  )
})

describe('the form reports', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a wrong password', { password: 'sandbox-password-guessed' }, 'password'],
    ['a user without rights', { user: 'comptoir', password: 'sandbox-password-comptoir' }, 'user'],
    ['an unknown tenant', { tenant: 'nobody' }, 'tenant'],
    ['an unknown client', { clientId: '77' }, 'clientId'],
    ['a client that is no number', { clientId: '1/accounts' }, 'clientId'],
    ['an empty address', { address: '' }, 'address'],
    ['a password in the address', { address: 'https://a:b@example.com' }, 'address'],
  ])('%s, and reveals no secret', async (_case, typed, field) => {
    const refusal = await refusalOf(submit(await newHarness(), typed))
    expect(refusal.field).toBe(field)
    expect(inspect(refusal, { depth: 10 })).not.toMatch(CANARY)
  })

  test('the token address when the identity provider refuses', async () => {
    const at = await newHarness()
    expect(await refusalOf(submit(at, { ...oauthOf(at), oauthSecret: 'wrong' }))).toMatchObject({ field: 'tokenAddress' })
  })

  test.each(['outage', 'badGateway'])('the address at %s', async (fault) => {
    const at = await newHarness()
    at.simulator.fault(fault)
    expect(await refusalOf(submit(at))).toMatchObject({ field: 'address' })
  })

  test.each<[string, number, string]>([
    ['a page of HTML', 200, '<!doctype html><title>Bienvenue</title>'],
    ['JSON of something else', 200, '{"status":"ok"}'],
    ['a plain 404', 404, 'nothing'],
  ])('the address for %s', async (_case, status, body) => {
    expect(await refusalOfServer(await newHarness(), status, body)).toMatchObject({
      field: 'address',
      message: expect.stringMatching(/not Fineract/),
    })
  })

  test('no field while the server asks to wait', async () => {
    const at = await newHarness()
    at.simulator.fault('throttle')
    expect(await failureOf(submit(at))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 31_000 })
  })

  test.each(['https://127.0.0.1:1', 'https://169.254.169.254', 'https://[::1]', 'https://10.0.0.8'])(
    'a private address: %s',
    async (address) => {
      const strict = await newStrictKit()
      const refused = submit({ ...(await newHarness()), kit: strict.kit, url: address }, { ...BASIC, address })
      expect(await refusalOf(refused)).toMatchObject({ field: 'address' })
    },
  )
})

describe('a connection', () => {
  test('requests another token when its own has expired', async () => {
    const at = await newHarness()
    const grant = await submit(at, oauthOf(at))
    at.moveTime(301_000)
    expect(await failureOf(Promise.resolve(pullAccounts?.fetch(sessionOf(at, grant), null)))).toMatchObject({ kind: 'reconnect' })
    const credentials = await fineractConnector.refreshCredentials?.(at.kit, grant.credentials)
    expect(credentials?.expiresAt).toBe('2026-07-01T12:10:01.000Z')
    if (credentials)
      expect(await pullAccounts?.fetch({ ...sessionOf(at, grant), credentials }, null)).toMatchObject({ listing: 'complete' })
  })

  test('by password cannot be refreshed and requires a reconnect', async () => {
    const at = await newHarness()
    const grant = await submit(at)
    const renewed = fineractConnector.refreshCredentials?.(at.kit, grant.credentials)
    expect(await failureOf(Promise.resolve(renewed))).toMatchObject({ kind: 'reconnect' })
  })

  test('requires a reconnect if another client took the place of the connected one', async () => {
    const at = await newHarness()
    const session = sessionOf(at, await submit(at))
    at.simulator.fault('wrongClient')
    expect(await failureOf(Promise.resolve(pullAccounts?.fetch(session, null)))).toMatchObject({ kind: 'reconnect' })
  })
})

test('the simulator keeps disabled users over a restart', async () => {
  const { mkdtempSync } = await import('node:fs')
  const stateFile = `${mkdtempSync('/tmp/fineract-')}/state.json`
  const before = await newHarness({ stateFile })
  before.simulator.fault('revoked')
  await refusalOf(submit(before))
  expect(await refusalOf(submit(await newHarness({ stateFile })))).toMatchObject({ field: 'password' })
})
