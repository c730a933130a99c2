import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/api/access/access.ts'
import { redeemOperatorLink } from '../../src/api/operator/links.ts'
import { signIn } from '../../src/api/operator/sign-in.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { SYSTEM_INSTANCE_ID } from '../../src/sync/context/system-instance.ts'
import { bearerOf } from '../harness/test-api.ts'
import { OPERATOR_PASSWORD, type OperatorHarness, operatorHarness } from './harness.ts'

const EMAIL = 'ops@example.com'

let api: OperatorHarness
beforeEach(async () => {
  api = await operatorHarness()
})
afterEach(() => api.close())

async function begin(password = OPERATOR_PASSWORD) {
  return await api.ask<{ token: string; step: string }>('POST', '/sign-in', null, { email: EMAIL, password })
}

describe('the sign-in of an operator', () => {
  it('requires a second factor from the first time on; before that, a session gives no access', async () => {
    await api.ask('POST', '/one-time-link', null, { token: await api.link(EMAIL), password: OPERATOR_PASSWORD })
    const begun = await begin()
    expect(begun.body).toMatchObject({ step: 'setup' })
    expect((await api.ask('GET', '/instances', begun.body.token)).status).toBe(403)
    expect((await api.ask('POST', '/operators', begun.body.token, { email: 'x@example.com', name: 'X' })).status).toBe(403)
    const { secret } = (await api.ask<{ secret: string }>('POST', '/sign-in/two-step', begun.body.token)).body
    const code = api.nextCode(secret)
    const opened = await api.ask<{ token: string; recoveryCodes: string[] }>('POST', '/sign-in/two-step/confirm', begun.body.token, {
      code,
    })
    expect(opened.body).toMatchObject({ step: 'open' })
    expect(opened.body.recoveryCodes).toHaveLength(10)
    expect((await api.ask('GET', '/instances', opened.body.token)).status).toBe(200)
    // The token from the password alone is invalid.
    expect((await api.ask('GET', '/session', begun.body.token)).status).toBe(401)
  })

  it('asks for the second factor every time after that, and a session without it cannot replace it', async () => {
    const { secret } = await api.signIn()
    const begun = await begin()
    expect(begun.body).toMatchObject({ step: 'second' })
    expect((await api.ask('GET', '/instances', begun.body.token)).status).toBe(403)
    expect((await api.ask('POST', '/sign-in/two-step', begun.body.token)).status).toBe(403)
    const opened = await api.ask<{ token: string }>('POST', '/sign-in/second-step', begun.body.token, { code: api.nextCode(secret) })
    expect((await api.ask('GET', '/session', opened.body.token)).body).toMatchObject({ email: EMAIL, step: 'open' })
  })

  it('accepts a code once and a recovery code once, and five wrong codes close the account for a while', async () => {
    const { secret, recoveryCodes } = await api.signIn()
    const prove = async (body: object) => (await api.ask('POST', '/sign-in/second-step', (await begin()).body.token, body)).status
    const code = api.nextCode(secret)
    expect([await prove({ code }), await prove({ code })]).toEqual([200, 401])
    const recoveryCode = recoveryCodes[0]
    expect([await prove({ recoveryCode }), await prove({ recoveryCode })]).toEqual([200, 401])
    api.moveClock(3_600_000)
    const { token } = (await begin()).body
    const tries: number[] = []
    for (let count = 0; count < 5; count += 1) tries.push((await api.ask('POST', '/sign-in/second-step', token, { code: '000000' })).status)
    expect(tries).toEqual([401, 401, 401, 401, 401])
    expect((await api.ask('POST', '/sign-in/second-step', token, { code: api.nextCode(secret) })).status).toBe(429)
  })

  it('ends with the sixth code, whatever the account may try', async () => {
    const lenient = await operatorHarness({
      login: { perAccount: 1_000, perNetwork: 1_000, perMinute: 1_000, windowSeconds: 900, codeDriftSteps: 1 },
    })
    const { secret } = await lenient.signIn()
    const begun = await lenient.ask<{ token: string }>('POST', '/sign-in', null, { email: EMAIL, password: OPERATOR_PASSWORD })
    const prove = async (code: string) => await lenient.ask('POST', '/sign-in/second-step', begun.body.token, { code })
    const details: unknown[] = []
    for (let count = 0; count < 5; count += 1) details.push((await prove('000000')).body.detail)
    expect(details).toEqual(Array(5).fill('The code is wrong.'))
    expect(await prove(lenient.nextCode(secret))).toMatchObject({ status: 401, body: { detail: expect.stringContaining('has run out') } })
    await lenient.close()
  })

  it('with the old password opens nothing once a one-time link has set another', async () => {
    await api.signIn()
    const { database, keys, log, settings, now, sealer, providers } = api.deps
    const access = createAccess({ database, keys, sealer, log, settings, now, providers })
    const verify = access.hashing.verify.bind(access.hashing)
    const link = await api.link(EMAIL)
    access.hashing.verify = async (stored, password) => {
      const fits = await verify(stored, password)
      await redeemOperatorLink(access, link, 'walnut-harbour-meadow-58')
      return fits
    }
    await expect(signIn(access, EMAIL, OPERATOR_PASSWORD, '203.0.113.9')).rejects.toMatchObject({ status: 401 })
    expect((await database.query('select from operator_sessions')).rowCount).toBe(0)
    expect((await begin('walnut-harbour-meadow-58')).status).toBe(200)
  })

  it('of unknown addresses is counted by network and minute, and makes no entry each time', async () => {
    for (let count = 0; count < 5; count += 1) await api.ask('POST', '/sign-in', null, { email: `who${count}@example.com`, password: 'x' })
    const { rows } = await api.deps.database.query('select network, attempts from unknown_logins')
    expect(rows).toEqual([{ network: '203.0.113.9', attempts: 5 }])
    expect(await listAudit(api.deps.database, SYSTEM_INSTANCE_ID, 20)).toEqual([])
  })

  it('answers an unknown address and a wrong password identically, and blocks after five attempts', async () => {
    await api.signIn()
    const unknown = await api.ask('POST', '/sign-in', null, { email: 'who@example.com', password: 'x' })
    const wrong = await begin('x')
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' })
    for (let count = 0; count < 4; count += 1) await begin('x')
    expect((await begin()).status).toBe(429)
  })

  it('ends after twelve hours, after an idle hour, and at once on sign-out', async () => {
    const { token } = await api.signIn()
    for (let minutes = 0; minutes < 11 * 60; minutes += 55) {
      api.moveClock(55 * 60_000)
      expect((await api.ask('GET', '/session', token)).status).toBe(200)
    }
    api.moveClock(59 * 60_000 + 60_000)
    expect((await api.ask('GET', '/session', token)).status).toBe(401)
    const second = await api.signIn('two@example.com')
    api.moveClock(61 * 60_000)
    expect((await api.ask('GET', '/session', second.token)).status).toBe(401)
    const third = await api.signIn('three@example.com')
    expect((await api.ask('DELETE', '/session', third.token)).status).toBe(204)
    expect((await api.ask('GET', '/session', third.token)).status).toBe(401)
  })

  it('is not valid for users, nor theirs for operators', async () => {
    const { token } = await api.signIn()
    const admin = await api.addUser({ email: EMAIL })
    const bearer = await bearerOf(api, admin.email)
    expect((await api.app.inject({ url: '/operator/api/v1/instances', headers: bearer })).statusCode).toBe(401)
    const asUser = await api.app.inject({ url: '/admin/api/v1/normalized-data/companies', headers: { authorization: `Bearer ${token}` } })
    expect(asUser.statusCode).toBe(401)
  })

  it('is kept by a cookie that pages of other origins cannot use', async () => {
    await api.signIn()
    const payload = { email: EMAIL, password: OPERATOR_PASSWORD, keep: 'cookie' }
    const answer = await api.app.inject({ method: 'POST', url: '/operator/api/v1/sign-in', payload })
    const [cookie] = answer.cookies
    expect([answer.json<{ token: string }>().token, cookie?.httpOnly, cookie?.sameSite, cookie?.path]).toEqual(['', true, 'Strict', '/'])
    const get = (site: string) =>
      api.app.inject({ url: '/operator/api/v1/session', cookies: { operator: cookie?.value ?? '' }, headers: { 'sec-fetch-site': site } })
    expect([(await get('same-origin')).statusCode, (await get('same-site')).statusCode]).toEqual([200, 401])
  })

  it('is kept over https by a cookie that no other host can set', async () => {
    const secure = await operatorHarness({ publicUrl: 'https://books.example.com' })
    await secure.signIn()
    const payload = { email: EMAIL, password: OPERATOR_PASSWORD, keep: 'cookie' }
    const { cookies } = await secure.app.inject({ method: 'POST', url: '/operator/api/v1/sign-in', payload })
    await secure.close()
    expect(cookies[0]).toMatchObject({ name: '__Host-operator', secure: true, path: '/' })
    expect(cookies[0]).not.toHaveProperty('domain')
  })

  it('leaves entries in the chain of the deployment, and no customer sees an operator', async () => {
    await api.signIn()
    await begin('x')
    const entries = (await listAudit(api.deps.database, SYSTEM_INSTANCE_ID, 20)).map(({ entry: { action, details } }) => [action, details])
    expect(entries.slice(0, 3)).toEqual([
      ['operator.refused', { reason: 'password' }],
      ['operator.two-step-enabled', undefined],
      ['operator.signed-in', { factor: 'code' }],
    ])
    const seen = await withinInstance(api.instanceId, () => api.deps.database.query('select from operators'))
    expect(seen.rows).toEqual([])
  })
})

describe('a one-time link', () => {
  it('works once, for an hour, and not after a newer one', async () => {
    const redeem = async (token: string) => (await api.ask('POST', '/one-time-link', null, { token, password: OPERATOR_PASSWORD })).status
    const first = await api.link(EMAIL)
    const second = await api.link(EMAIL)
    expect([await redeem(first), await redeem(second), await redeem(second)]).toEqual([400, 204, 400])
    const third = await api.link(EMAIL)
    api.moveClock(3_600_001)
    expect(await redeem(third)).toBe(400)
  })

  it('refuses a password that is easy to guess, and stays valid', async () => {
    const token = await api.link(EMAIL)
    expect((await api.ask('POST', '/one-time-link', null, { token, password: 'password1' })).status).toBe(400)
    expect((await api.ask('POST', '/one-time-link', null, { token, password: OPERATOR_PASSWORD })).status).toBe(204)
  })

  it('ends all sessions; the second factor stays unless the link resets it', async () => {
    const { token } = await api.signIn()
    await api.ask('POST', '/one-time-link', null, { token: await api.link(EMAIL), password: OPERATOR_PASSWORD })
    expect((await api.ask('GET', '/session', token)).status).toBe(401)
    expect((await begin()).body).toMatchObject({ step: 'second' })
    const reset = await api.link(EMAIL, { resetsTwoStep: true })
    expect((await begin()).body).toMatchObject({ step: 'second' })
    await api.ask('POST', '/one-time-link', null, { token: reset, password: OPERATOR_PASSWORD })
    expect((await begin()).body).toMatchObject({ step: 'setup' })
  })
})

describe('operators', () => {
  it('add others, who start with a one-time link', async () => {
    const { token } = await api.signIn()
    const added = await api.ask<{ link: { address: string } }>('POST', '/operators', token, { email: 'Two@Example.com', name: 'Two' })
    expect(added).toMatchObject({ status: 201, body: { operator: { email: 'two@example.com', hasPassword: false } } })
    expect((await api.ask('POST', '/operators', token, { email: 'two@example.com', name: 'Two' })).status).toBe(409)
    const link = new URL(added.body.link.address).hash.slice(1)
    expect((await api.ask('POST', '/one-time-link', null, { token: link, password: OPERATOR_PASSWORD })).status).toBe(204)
  })

  it('cannot remove the last one who can sign in, not even concurrently', async () => {
    const one = await api.signIn()
    const listed = async (token: string) => (await api.ask<{ id: string; email: string }[]>('GET', '/operators', token)).body
    const [first] = await listed(one.token)
    await api.ask('POST', '/operators', one.token, { email: 'invited@example.com', name: 'Invited' })
    expect((await api.ask('DELETE', `/operators/${first?.id}`, one.token)).status).toBe(409)
    const two = await api.signIn('two@example.com')
    const second = (await listed(two.token)).find(({ email }) => email === 'two@example.com')
    const answers = await Promise.all([
      api.ask('DELETE', `/operators/${first?.id}`, two.token),
      api.ask('DELETE', `/operators/${second?.id}`, one.token),
    ])
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
  })
})
