import { beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { whileOpen } from '../harness/while-open.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'
import { type Headers, signInHarness } from './harness.ts'

type Options = { challenge: string }
type Refusal = { errors: { field: string; message: string }[] }

describe('a second step', () => {
  const harness = openForTests(signInHarness)
  let instanceId: string
  let userId: string
  let email: string
  let headers: Headers
  let device: Authenticator
  let secret: string
  beforeEach(async () => {
    ;({ instanceId, userId, email, headers } = await harness.addMember())
    device = newAuthenticator()
    await harness.addPasskey(headers, device)
    secret = (await harness.setUpApp(headers)).secret
  })
  const offer = async (waiting: Headers) => await harness.ask<{ options: Options }>('POST', '/auth/two-step/passkey', waiting)
  const complete = async (waiting: Headers, body: object) => await harness.ask('POST', '/auth/two-step', waiting, body)
  const entries = async (action: string) =>
    (await listAudit(harness.deps.database, instanceId, 100)).map(({ entry }) => entry).filter((entry) => entry.action === action)

  it('that is wrong is told by its field, where a change asks for it', async () => {
    const proofOptions = (await harness.ask<Options>('POST', '/auth/proof/passkey', headers)).body
    const wrong = [
      await harness.ask<Refusal>('POST', '/auth/two-step/disable', headers, { password: PASSWORD, code: '000000' }),
      await harness.ask<Refusal>('POST', '/auth/two-step/recovery-codes', headers, {
        password: PASSWORD,
        passkey: device.assert(proofOptions, { rpId: 'other.example.com' }),
      }),
    ]
    expect(wrong.map(({ status, body }) => [status, body.errors])).toEqual([
      [400, [{ field: 'code', message: 'is wrong' }]],
      [400, [{ field: 'passkey', message: 'is not accepted' }]],
    ])
  })

  it('that is wrong at a login is in the audit by its kind, and says so', async () => {
    const waiting = await harness.logIn(email)
    const { options } = (await offer(waiting)).body
    const answers = [
      await complete(waiting, { code: '000000' }),
      await complete(waiting, { passkey: device.assert(options, { rpId: 'other.example.com' }) }),
      await complete(waiting, { recoveryCode: 'A'.repeat(26) }),
    ]
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [401, 'The code is wrong.'],
      [401, 'The passkey is not accepted.'],
      [401, 'The code is wrong.'],
    ])
    const told = (await entries('login.failed')).map(({ details, userId: by, subject }) => [details, by, subject]).reverse()
    expect(told).toEqual(['code', 'passkey', 'code'].map((reason) => [{ reason }, null, `user/${userId}`]))
  })

  it('that is right is in the audit by its kind', async () => {
    const waiting = await harness.logIn(email)
    const { options } = (await offer(waiting)).body
    expect((await complete(waiting, { passkey: device.assert(options) })).status).toBe(200)
    expect((await entries('login.succeeded')).map(({ details }) => details)).toContainEqual({ factor: 'passkey' })
  })

  it('is not offered, nor taken, once the login has been completed, has run out, was tried five times, or its user is disabled', async () => {
    const [completed, tried, disabled, late] = [
      await harness.logIn(email),
      await harness.logIn(email),
      await harness.logIn(email),
      await harness.logIn(email),
    ]
    expect((await complete(completed, { code: harness.nextCode(secret) })).status).toBe(200)
    for (let count = 0; count < 4; count += 1) await complete(tried, { code: '000000' })
    expect((await offer(tried)).status).toBe(200)
    await complete(tried, { code: '000000' })
    expect([(await offer(completed)).status, (await offer(tried)).status, (await offer(late)).status]).toEqual([401, 401, 200])
    await harness.deps.database.query('update users set disabled_at = now() where id = $1', [userId])
    expect([(await offer(disabled)).status, (await complete(disabled, { code: harness.nextCode(secret) })).status]).toEqual([401, 401])
    await harness.deps.database.query('update users set disabled_at = null where id = $1', [userId])
    harness.moveClock(300_000)
    expect([(await offer(late)).status, (await complete(late, { code: harness.nextCode(secret) })).status]).toEqual([401, 401])
  })

  it('is taken at the fifth try, and opens nothing for an account that is disabled while it is checked', async () => {
    const waiting = await harness.logIn(email)
    for (let count = 0; count < 4; count += 1) await complete(waiting, { code: '000000' })
    expect((await complete(waiting, { code: harness.nextCode(secret) })).status).toBe(200)
    const late = await harness.logIn(email)
    const code = harness.nextCode(secret)
    const disabling = { id: userId, first: ['update users set disabled_at = now() where id = $1'] }
    const { status, body } = await whileOpen(harness.deps.database, disabling, async () => await complete(late, { code }))
    expect([status, body.detail]).toEqual([401, 'The login has run out.'])
  })

  it('is one beside the app where there is one: the offer says whether a code can be typed instead', async () => {
    const both = await offer(await harness.logIn(email))
    await harness.ask('POST', '/auth/two-step/disable', headers, { password: PASSWORD, code: harness.nextCode(secret) })
    const alone = await offer(await harness.logIn(email))
    expect([both, alone].map(({ body }) => body)).toEqual([
      expect.objectContaining({ hasApp: true }),
      expect.objectContaining({ hasApp: false }),
    ])
  })
})
