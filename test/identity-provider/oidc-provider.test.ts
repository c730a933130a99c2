import { afterAll, beforeAll, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { openRealHarness } from './real-harness.ts'
import { FormBrowser, openRealProvider, type RealProvider } from './real-provider.ts'

const product = openForTests(openRealHarness)
let provider: RealProvider
beforeAll(async () => {
  const robin = { email: 'robin@maple.example', email_verified: true, name: 'Robin Roy', groups: ['builders'] }
  provider = await openRealProvider({ robin }, product.addresses)
  await product.configure(provider.url, { scopes: ['openid', 'email', 'profile', 'offline_access'] })
})
afterAll(async () => {
  await provider?.close()
})

const signIn = async (browser = new FormBrowser()) => await product.signIn((address) => browser.signIn(address, 'robin'))

it('signs in, keeps the session by refresh tokens that work once, and ends it when it ends there', async () => {
  const session = await signIn()
  const { token } = await product.refresh(session)
  expect(await product.whoami(token)).toMatchObject({ status: 200, body: { email: 'robin@maple.example', role: 'developer' } })
  for (let round = 1; round <= 3; round += 1) {
    product.setTime(round * 240_000)
    expect((await product.refresh(session)).status).toBe(200)
  }
  provider.endSessions()
  product.setTime(4 * 240_000)
  expect((await product.refresh(session)).status).toBe(401)
})

it('is logged out by the provider over its back channel', async () => {
  product.setTime(0)
  const browser = new FormBrowser()
  const { token } = await product.refresh(await signIn(browser))
  const other = await product.refresh(await signIn(browser))
  const { address } = await product.logOut(other.token)
  expect(address).toContain(`${provider.url}/session/end?`)
  expect((await product.whoami(token)).status).toBe(200)
  expect((await browser.confirm(address)).href).toBe(product.addresses.postLogoutRedirectUri)
  await until('the session to end', async () => ((await product.whoami(token)).status === 401 ? true : null))
})
