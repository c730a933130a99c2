import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { bearerOf, logInAt, PASSWORD, type TestApi, testApi } from '../../../../test/harness/test-api.ts'
import { listAudit } from '../../../store/access/audit.ts'

const PREFIX = '/admin/api/v1/auth/two-step'

describe('two-step login', () => {
  const apis: TestApi[] = []
  let api: TestApi
  let email: string
  let headers: { authorization: string }

  beforeEach(async () => {
    api = apis[0] ?? (await testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
    apis[0] = api
    email = (await api.addUser()).email
    headers = await bearerOf(api, email)
  })
  afterAll(async () => {
    for (const made of apis) await made.close()
  })

  const post = (path: string, payload: object, with_ = headers) =>
    api.app.inject({ method: 'POST', url: `${PREFIX}${path}`, payload, headers: with_ })
  const codeOf = (secret: string, offsetMs = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.deps.now().getTime() + offsetMs })

  /** Enables two-step login; afterwards the clock is in a step whose code is unused. */
  async function enable(): Promise<{ secret: string; recoveryCodes: string[] }> {
    const begun = (await post('/setup', { password: PASSWORD })).json<{ secret: string }>()
    const confirmed = (await post('/setup/confirm', { code: codeOf(begun.secret) })).json<{ recoveryCodes: string[] }>()
    api.moveClock(90_000)
    return { secret: begun.secret, recoveryCodes: confirmed.recoveryCodes }
  }

  async function challenge(): Promise<{ authorization: string }> {
    const login = (await logInAt(api.app, email)).json<{ access_token: string }>()
    return { authorization: `Bearer ${login.access_token}` }
  }

  it('begins with a secret of 160 bits for authenticator apps', async () => {
    const begun = (await post('/setup', { password: PASSWORD })).json<{ secret: string; otpauthUrl: string }>()
    expect(Secret.fromBase32(begun.secret).bytes.length).toBe(20)
    expect(begun.otpauthUrl).toContain(`secret=${begun.secret}`)
    expect(begun.otpauthUrl).toMatch(/^otpauth:\/\/totp\/Countinghouse:/)
  })

  it('keeps the secret sealed', async () => {
    const { secret } = await enable()
    const { rows } = await api.deps.database.query<{ secret: Buffer }>('select secret from two_steps')
    expect(rows.some((row) => row.secret.includes(Buffer.from(Secret.fromBase32(secret).bytes)))).toBe(false)
  })

  it('needs the password to begin', async () => {
    const response = await post('/setup', { password: 'not the password' })
    expect([response.statusCode, response.json<{ errors: unknown }>().errors]).toEqual([400, [{ field: 'password', message: 'is wrong' }]])
  })

  it('is off until a code was confirmed', async () => {
    await post('/setup', { password: PASSWORD })
    await post('/setup/confirm', { code: '000000' })
    expect((await logInAt(api.app, email)).json()).toMatchObject({ twoStepVerify: false })
  })

  it('cannot be confirmed more than ten minutes after it began', async () => {
    const begun = (await post('/setup', { password: PASSWORD })).json<{ secret: string }>()
    api.moveClock(600_001)
    expect((await post('/setup/confirm', { code: codeOf(begun.secret) })).statusCode).toBe(409)
  })

  it('cannot be begun again while it is on', async () => {
    await enable()
    expect((await post('/setup', { password: PASSWORD })).statusCode).toBe(409)
  })

  it('gives ten recovery codes of 130 bits, all different', async () => {
    const { recoveryCodes } = await enable()
    expect(new Set(recoveryCodes).size).toBe(10)
    expect(recoveryCodes.every((code) => /^([0-9A-Z]{5}-){4}[0-9A-Z]{6}$/.test(code))).toBe(true)
  })

  it('makes the password step give a challenge and no refresh token', async () => {
    await enable()
    expect((await logInAt(api.app, email)).json()).toMatchObject({
      twoStepVerify: true,
      refreshToken: '',
      access_token: expect.stringMatching(/^eyJ/),
    })
  })

  it('gives a challenge that opens no other route', async () => {
    await enable()
    const proof = await challenge()
    const answers = await Promise.all(
      ['/admin/api/v1/auth/me', '/admin/api/v1/users', `${PREFIX}/setup`].map((url) => api.app.inject({ url, headers: proof })),
    )
    expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401, 401])
  })

  it('does not take an access token for a challenge', async () => {
    const { secret } = await enable()
    expect((await post('', { code: codeOf(secret) }, headers)).statusCode).toBe(401)
  })

  it('is complete with a code', async () => {
    const { secret } = await enable()
    const response = await post('', { code: codeOf(secret) }, await challenge())
    expect([response.statusCode, response.json()]).toMatchObject([
      200,
      { twoStepVerify: false, refreshToken: expect.stringMatching(/.{43}/) },
    ])
  })

  it('says in the audit trail which factors were used, and from which network', async () => {
    const { secret, recoveryCodes } = await enable()
    await post('', { code: codeOf(secret) }, await challenge())
    await post('', { recoveryCode: recoveryCodes[0] }, await challenge())
    await logInAt(api.app, (await api.addUser()).email)
    const logins = (await listAudit(api.deps.database, api.instanceId, 500)).filter(({ entry }) => entry.action === 'login.succeeded')
    expect(logins.slice(0, 3).map(({ entry: { details, network } }) => [details, network])).toEqual([
      [{ factor: 'password' }, '203.0.113.7'],
      [{ factor: 'recovery code' }, '127.0.0.1'],
      [{ factor: 'code' }, '127.0.0.1'],
    ])
  })

  it.each([
    [-60_000, 401],
    [-30_000, 200],
    [30_000, 200],
    [60_000, 401],
  ])('takes a code of %i ms off with %i', async (offset, status) => {
    const { secret } = await enable()
    expect((await post('', { code: codeOf(secret, offset) }, await challenge())).statusCode).toBe(status)
  })

  it('takes a code once, of fifty at once', async () => {
    const { secret } = await enable()
    const code = codeOf(secret)
    const challenges = await Promise.all(Array.from({ length: 5 }, challenge))
    const answers = await Promise.all(Array.from({ length: 50 }, (_value, index) => post('', { code }, challenges[index % 5] ?? headers)))
    expect(answers.filter((answer) => answer.statusCode === 200).length).toBe(1)
  })

  it('takes no code of a step before one that was taken', async () => {
    const { secret } = await enable()
    await post('', { code: codeOf(secret) }, await challenge())
    expect((await post('', { code: codeOf(secret, -30_000) }, await challenge())).statusCode).toBe(401)
  })

  it('takes a recovery code once, of twenty at once, however it is typed', async () => {
    const { recoveryCodes } = await enable()
    const recoveryCode = (recoveryCodes[3] ?? '').toLowerCase().replaceAll('-', ' ')
    const challenges = await Promise.all(Array.from({ length: 5 }, challenge))
    const answers = await Promise.all(challenges.map((proof) => post('', { recoveryCode }, proof)))
    expect(answers.filter((answer) => answer.statusCode === 200).length).toBe(1)
  })

  it('takes five tries at a challenge', async () => {
    const { secret } = await enable()
    const proof = await challenge()
    for (let index = 0; index < 5; index += 1) await post('', { code: '000000' }, proof)
    api.moveClock(60_000)
    expect((await post('', { code: codeOf(secret) }, proof)).statusCode).toBe(401)
  })

  it('stops guessing over many challenges', async () => {
    await enable()
    const answers: number[] = []
    for (let index = 0; index < 5; index += 1) {
      const proof = await challenge()
      answers.push((await post('', { code: '000000' }, proof)).statusCode, (await post('', { code: '000001' }, proof)).statusCode)
    }
    expect(answers.slice(0, 6)).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('ends a challenge after five minutes and a use', async () => {
    const { secret } = await enable()
    const late = await challenge()
    const used = await challenge()
    const first = await post('', { code: codeOf(secret) }, used)
    api.moveClock(30_000)
    const second = await post('', { code: codeOf(secret) }, used)
    api.moveClock(331_000)
    const third = await post('', { code: codeOf(secret) }, late)
    expect([first, second, third].map((answer) => answer.statusCode)).toEqual([200, 401, 401])
  })

  it.each([
    ['no proof', {}],
    ['two proofs', { code: '123456', recoveryCode: 'A'.repeat(30) }],
    ['a code of seven digits', { code: '1234567' }],
  ])('refuses %s with 400', async (_what, payload) => {
    await enable()
    expect((await post('', payload, await challenge())).statusCode).toBe(400)
  })

  it.each([
    ['/disable', 'a wrong password', { password: 'wrong' }, true, 400],
    ['/disable', 'a wrong code', { password: PASSWORD, code: '000000' }, false, 400],
    ['/disable', 'password and code', { password: PASSWORD }, true, 204],
    ['/recovery-codes', 'a wrong password', { password: 'wrong' }, true, 400],
    ['/recovery-codes', 'a wrong code', { password: PASSWORD, code: '000000' }, false, 400],
    ['/recovery-codes', 'password and code', { password: PASSWORD }, true, 200],
  ])('%s with %s is %#', async (path, _what, payload, withCode, status) => {
    const { secret } = await enable()
    const body = withCode ? { ...payload, code: codeOf(secret) } : payload
    expect((await post(path, body)).statusCode).toBe(status)
  })

  it('is off after it was turned off', async () => {
    const { secret } = await enable()
    await post('/disable', { password: PASSWORD, code: codeOf(secret) })
    expect((await logInAt(api.app, email)).json()).toMatchObject({ twoStepVerify: false })
  })

  it('makes old recovery codes void when there are new ones', async () => {
    const { secret, recoveryCodes } = await enable()
    const renewed = (await post('/recovery-codes', { password: PASSWORD, code: codeOf(secret) })).json<{ recoveryCodes: string[] }>()
    const old = await post('', { recoveryCode: recoveryCodes[0] }, await challenge())
    const fresh = await post('', { recoveryCode: renewed.recoveryCodes[0] }, await challenge())
    expect([old.statusCode, fresh.statusCode]).toEqual([401, 200])
  })

  it('ends the other sessions of the account when asked to, and not this one', async () => {
    const other = await bearerOf(api, email)
    const begun = (await post('/setup', { password: PASSWORD })).json<{ secret: string }>()
    await post('/setup/confirm', { code: codeOf(begun.secret), endOtherSessions: true })
    api.moveClock(5_000)
    const states = await Promise.all([headers, other].map((with_) => api.app.inject({ url: `${PREFIX}/setup`, headers: with_ })))
    expect(states.map((state) => state.statusCode)).toEqual([200, 401])
    expect(states[0]?.json()).toMatchObject({ enabled: true, recoveryCodesLeft: 10 })
  })
})
