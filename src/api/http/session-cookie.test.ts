import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { PASSWORD, testApi } from '../../../test/harness/test-api.ts'

const AUTH = '/admin/api/v1/auth'

describe('a login that keeps its refresh token in a cookie', () => {
  const api = openForTests(testApi)

  async function logIn() {
    const { email } = await api.addUser()
    const response = await api.app.inject({ method: 'POST', url: `${AUTH}/login`, payload: { email, password: PASSWORD, keep: 'cookie' } })
    const [cookie] = response.cookies
    return { response, cookie, token: response.json<{ access_token: string }>().access_token }
  }

  const refresh = (cookie: string | undefined, headers: Record<string, string> = {}) =>
    api.app.inject({
      method: 'POST',
      url: `${AUTH}/refresh`,
      payload: {},
      headers,
      ...(cookie === undefined ? {} : { cookies: { session: cookie } }),
    })

  it('gives it to no script and to no page of another site', async () => {
    const { response, cookie } = await logIn()
    expect(response.json()).toMatchObject({ refreshToken: '' })
    expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict', path: '/' })
  })

  it('is renewed by the cookie, which changes each time', async () => {
    const { cookie } = await logIn()
    const renewed = await refresh(cookie?.value)
    expect(renewed.statusCode).toBe(200)
    expect(renewed.json()).toMatchObject({ refreshToken: '' })
    expect(renewed.cookies[0]?.value).not.toBe(cookie?.value)
  })

  it.each(['cross-site', 'same-site', 'none'])('is not renewed by a request that is %s', async (from) => {
    const { cookie } = await logIn()
    expect((await refresh(cookie?.value, { 'sec-fetch-site': from })).statusCode).toBe(400)
  })

  it('is not renewed without a cookie', async () => {
    expect((await refresh(undefined)).statusCode).toBe(400)
  })

  it('ends the session that the browser had, and no other', async () => {
    const { email } = await api.addUser()
    const payload = { email, password: PASSWORD, keep: 'cookie' }
    const logInWith = async (cookies: Record<string, string>, headers: Record<string, string> = {}) =>
      (await api.app.inject({ method: 'POST', url: `${AUTH}/login`, payload, cookies, headers })).cookies[0]?.value ?? ''
    const elsewhere = await logInWith({})
    const first = await logInWith({})
    const second = await logInWith({ session: first })
    const third = await logInWith({ session: second }, { 'sec-fetch-site': 'cross-site' })
    const states = await Promise.all([elsewhere, first, second, third].map(async (cookie) => (await refresh(cookie)).statusCode))
    expect(states).toEqual([200, 401, 200, 200])
  })

  it('takes the cookie away at the logout', async () => {
    const { cookie, token } = await logIn()
    const response = await api.app.inject({
      method: 'POST',
      url: `${AUTH}/logout`,
      headers: { authorization: `Bearer ${token}` },
      cookies: { session: cookie?.value ?? '' },
    })
    expect(response.cookies[0]).toMatchObject({ name: 'session', value: '', path: '/' })
    expect((await refresh(cookie?.value)).statusCode).toBe(401)
  })

  it('travels over https alone where the deployment has it, and no other host can set it', async () => {
    const secure = await testApi({ issuer: 'https://books.example.com' })
    const { email } = await secure.addUser()
    const payload = { email, password: PASSWORD, keep: 'cookie' }
    const response = await secure.app.inject({ method: 'POST', url: `${AUTH}/login`, payload })
    await secure.close()
    expect(response.cookies[0]).toMatchObject({ name: '__Host-session', secure: true, path: '/' })
    expect(response.cookies[0]).not.toHaveProperty('domain')
  })
})
