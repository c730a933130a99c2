import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { PERSON, startKeycloak } from './keycloak.ts'
import { openRealHarness } from './real-harness.ts'
import { FormBrowser } from './real-provider.ts'

/** Set by `npm run keycloak`, which fetches a Keycloak: too large for every test run. */
const home = process.env.KEYCLOAK_HOME ?? ''
const note = home === '' ? ' (only with npm run keycloak)' : ''

describe.skipIf(home === '')(`Keycloak${note}`, () => {
  const product = openForTests(openRealHarness)
  const keycloak = openForTests(
    () => startKeycloak(home, product.addresses),
    (keycloak) => keycloak.stop(),
  )

  beforeAll(async () => {
    await product.configure(keycloak.issuer, { scopes: ['openid', 'email', 'profile'] })
  }, 240_000)

  const signIn = async (browser = new FormBrowser()) =>
    await product.signIn((address) => browser.signIn(address, PERSON.username, PERSON.password))

  it('signs in with a role of a group, and keeps the session while it goes on there', async () => {
    const session = await signIn()
    const { token } = await product.refresh(session)
    expect(await product.whoami(token)).toMatchObject({ status: 200, body: { email: 'robin@maple.example', role: 'developer' } })
    product.setTime(240_000)
    expect((await product.refresh(session)).status).toBe(200)
  })

  it('ends the session at once when its administrator ends it', async () => {
    product.setTime(0)
    const session = await signIn()
    const { token } = await product.refresh(session)
    await keycloak.endSessions()
    await until('the session to end', async () => ((await product.whoami(token)).status === 401 ? true : null))
    expect((await product.refresh(session)).status).toBe(401)
  })

  it('logs out there, too', async () => {
    const browser = new FormBrowser()
    const { token } = await product.refresh(await signIn(browser))
    const { address } = await product.logOut(token)
    expect((await browser.confirm(address)).href).toBe(product.addresses.postLogoutRedirectUri)
  })
})
