import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { hasGlewlwyd, openAdministration, signInAt, startGlewlwyd } from '../refresh/glewlwyd.ts'
import { openRealHarness } from './real-harness.ts'
import { CLIENT } from './scripted-provider.ts'

const isMissing = !hasGlewlwyd && process.env.CI !== 'true'
const note = isMissing ? ' (SKIPPED: Debian’s glewlwyd is not installed)' : ''

/** Glewlwyd takes the secret as it is sent, so without characters that are encoded. */
const SECRET = 'glewlwydcanary4711'
const PERSON = { username: 'robin', password: 'robin-password-4711' }

describe.skipIf(isMissing)(`Glewlwyd${note}`, () => {
  const product = openForTests(openRealHarness)
  const glewlwyd = openForTests(
    () => startGlewlwyd((url) => configure(url, product.addresses.redirectUri)),
    (glewlwyd) => glewlwyd.stop(),
  )

  beforeAll(async () => {
    const scopes = ['openid']
    const settings = { clientSecret: SECRET, scopes, groupsClaim: null, defaultRole: 'viewer', trustsEmails: true }
    await product.configure(`${glewlwyd.url}/api/oidc`, settings)
  })

  const signIn = async () =>
    await product.signIn(async (address) => {
      const cookie = await signInAt(glewlwyd.url, PERSON)
      const headers = { cookie, 'content-type': 'application/json' }
      const body = JSON.stringify({ scope: 'openid' })
      await fetch(`${glewlwyd.url}/api/auth/grant/${CLIENT.id}`, { method: 'PUT', headers, body })
      const answer = await fetch(`${address}&g_continue`, { headers: { cookie }, redirect: 'manual' })
      return new URL(answer.headers.get('location') ?? '')
    })

  it('signs in, and keeps the session by refresh tokens that work once', async () => {
    const session = await signIn()
    const { token } = await product.refresh(session)
    expect(await product.whoami(token)).toMatchObject({ status: 200, body: { email: 'robin@maple.example', role: 'viewer' } })
    const { given } = glewlwyd.countTokens()
    product.setTime(240_000)
    expect((await product.refresh(session)).status).toBe(200)
    expect(glewlwyd.countTokens()).toEqual({ given: given + 1, alive: 1 })
  })

  it('ends the session when the provider has ended the refresh token', async () => {
    product.setTime(0)
    const session = await signIn()
    expect((await product.refresh(session)).status).toBe(200)
    glewlwyd.endTokens()
    product.setTime(240_000)
    expect((await product.refresh(session)).status).toBe(401)
  })
})

async function configure(url: string, redirectUri: string): Promise<void> {
  const add = await openAdministration(url)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await add('mod/plugin', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'oidc',
    parameters: {
      ...{ iss: `${url}/api/oidc`, 'jwt-type': 'ecdsa', 'jwt-key-size': '256', 'jwks-show': true },
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: publicKey.export({ type: 'spki', format: 'pem' }),
      ...{ 'access-token-duration': 3600, 'refresh-token-duration': 1_209_600, 'code-duration': 600 },
      ...{ 'refresh-token-rolling': false, 'refresh-token-one-use': 'always', 'allow-non-oidc': true, 'pkce-allowed': true },
      ...{ 'auth-type-code-enabled': true, 'auth-type-refresh-enabled': true, 'auth-type-id-token-enabled': true },
      ...{ 'auth-type-token-enabled': false, 'auth-type-password-enabled': false, 'auth-type-client-enabled': false },
      ...{ 'email-claim': 'mandatory', 'name-claim': 'mandatory', 'scope-claim': 'no' },
    },
  })
  await add('client', {
    ...{ client_id: CLIENT.id, name: CLIENT.id, password: SECRET, confidential: true, enabled: true, redirect_uri: [redirectUri] },
    ...{ authorization_type: ['code', 'refresh_token'], token_endpoint_auth_method: ['client_secret_basic'] },
  })
  const email = 'robin@maple.example'
  await add('user', { ...PERSON, name: 'Robin Roy', email, enabled: true, scope: ['openid'] })
}
