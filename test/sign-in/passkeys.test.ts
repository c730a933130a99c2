import { beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/store/access/audit.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { countWaiting } from '../harness/while-open.ts'
import { until } from '../process/deadline.ts'
import { type Authenticator, type Forged, newAuthenticator } from './authenticator.ts'
import { type AddedPasskey, type Headers, signInHarness } from './harness.ts'

type Options = { challenge: string; rpId?: string; userVerification?: string; allowCredentials?: { id: string }[] }

describe('passkeys', () => {
  const harness = openForTests(signInHarness)
  let instanceId: string
  let email: string
  let headers: Headers
  let device: Authenticator
  beforeEach(async () => {
    ;({ instanceId, email, headers } = await harness.addMember())
    device = newAuthenticator()
  })
  const begin = async (with_ = headers) => (await harness.ask<Options>('POST', '/auth/passkeys/options', with_)).body
  const finish = async (passkey: object, with_ = headers, name = 'Laptop') =>
    await harness.ask<AddedPasskey>('POST', '/auth/passkeys', with_, { name, passkey })
  const add = async (authenticator = device, with_ = headers) => await harness.addPasskey(with_, authenticator)
  const list = async (with_ = headers) =>
    (await harness.ask<{ name: string; lastUsedOn: string | null }[]>('GET', '/auth/passkeys', with_)).body
  const waiting = async (address = email) => await harness.logIn(address)
  const offer = async (challenge: Headers) =>
    (await harness.ask<{ options: Options; hasApp: boolean }>('POST', '/auth/two-step/passkey', challenge)).body
  const complete = async (challenge: Headers, body: object) => await harness.ask('POST', '/auth/two-step', challenge, body)
  /** The whole login. */
  async function logIn(authenticator = device, forged: Forged = {}) {
    const challenge = await waiting()
    const { options } = await offer(challenge)
    return await complete(challenge, { passkey: authenticator.assert(options, forged) })
  }

  /** Acts while the account is locked until all of them wait for it. */
  async function atOnce<T>(acts: readonly (() => Promise<T>)[]): Promise<T[]> {
    const { database } = harness.deps
    const { answers } = await inTransaction(database, async (db) => {
      await db.query('select from users where email = $1 for no key update', [email])
      const acting = Promise.all(acts.map((act) => act()))
      await until('all wait for the account', async () => (await countWaiting(database)) === acts.length || null)
      return { answers: acting }
    })
    return await answers
  }

  it('are offered for this host, verified by their user, and without attestation', async () => {
    expect(await begin()).toMatchObject({
      ...{ rp: { id: 'localhost', name: 'Countinghouse' }, attestation: 'none', timeout: 300_000 },
      authenticatorSelection: { userVerification: 'required' },
      pubKeyCredParams: [{ alg: -8 }, { alg: -7 }, { alg: -257 }],
    })
  })

  it('are a second step: the password alone no longer signs in, password and passkey do', async () => {
    const { recoveryCodes } = await add()
    const challenge = await waiting()
    const { options, hasApp } = await offer(challenge)
    const answer = await complete(challenge, { passkey: device.assert(options) })
    expect([recoveryCodes.length, challenge.twoStepVerify, hasApp, answer.status]).toEqual([10, true, false, 200])
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [{ id: device.id }] })
    expect([await list(), await harness.letters(email)]).toMatchObject([
      [{ name: 'Laptop', lastUsedOn: expect.any(String) }],
      ['secondStepAdded'],
    ])
  })

  it('may be several, each named, listed and removed with a letter; recovery codes come with the first', async () => {
    const first = await add()
    const second = await add(newAuthenticator())
    const remove = async (id: string) => (await harness.ask('DELETE', `/auth/passkeys/${id}`, headers)).status
    const shown = await harness.ask('GET', `/auth/passkeys/${first.passkey.id}`, headers)
    expect([second.recoveryCodes, (await list()).length, shown.body.name]).toEqual([[], 2, 'Laptop'])
    expect([await remove(first.passkey.id), await remove(first.passkey.id), (await waiting()).twoStepVerify]).toEqual([204, 404, true])
    expect([await remove(second.passkey.id), (await waiting()).twoStepVerify]).toEqual([204, false])
    expect(await harness.letters(email)).toEqual([
      ...['secondStepAdded', 'secondStepAdded', 'secondStepRemoved'],
      ...['secondStepRemoved', 'twoStepDisabled'].toSorted(),
    ])
  })

  it('stand beside an authenticator app: recovery codes work for both, and each is removed alone', async () => {
    const { secret, recoveryCodes } = await harness.setUpApp(headers)
    expect((await add()).recoveryCodes).toEqual([])
    const challenge = await waiting()
    expect((await offer(challenge)).hasApp).toBe(true)
    expect((await complete(challenge, { recoveryCode: recoveryCodes[0] })).status).toBe(200)
    const proof = { password: PASSWORD, code: harness.nextCode(secret) }
    expect((await harness.ask('POST', '/auth/two-step/disable', headers, proof)).status).toBe(204)
    const state = (await harness.ask('GET', '/auth/two-step/setup', headers)).body
    expect(state).toEqual({ enabled: true, hasApp: false, passkeys: 1, isRequired: false, recoveryCodesLeft: 9 })
    expect([(await complete(await waiting(), { code: harness.nextCode(secret) })).status, (await logIn()).status]).toEqual([401, 200])
    expect((await complete(await waiting(), { recoveryCode: recoveryCodes[1] })).status).toBe(200)
  })

  it('are no way in for the code of an app that was begun and never confirmed', async () => {
    await add()
    const { secret } = (await harness.ask<{ secret: string }>('POST', '/auth/two-step/setup', headers, { password: PASSWORD })).body
    expect((await complete(await waiting(), { code: harness.nextCode(secret) })).status).toBe(401)
  })

  it('renew the proof of a session, and recovery codes', async () => {
    await add()
    harness.moveClock(16 * 60_000)
    const ask = async () => (await harness.ask<Options>('POST', '/auth/proof/passkey', headers)).body
    const refused = await harness.ask('POST', '/auth/passkeys/options', headers)
    const proven = await harness.ask<{ access_token: string }>('POST', '/auth/proof', headers, { passkey: device.assert(await ask()) })
    const fresh = { authorization: `Bearer ${proven.body.access_token}` }
    expect([refused.status, proven.status, (await harness.ask('POST', '/auth/passkeys/options', fresh)).status]).toEqual([403, 200, 200])
    const renewal = { password: PASSWORD, passkey: device.assert(await ask()) }
    expect((await harness.ask('POST', '/auth/two-step/recovery-codes', headers, renewal)).status).toBe(200)
  })

  it('are twenty at most, also of registrations that began at once', async () => {
    for (let count = 0; count < 18; count += 1) await add(newAuthenticator())
    const begun: Options[] = []
    for (let count = 0; count < 4; count += 1) begun.push(await begin())
    const answers = await Promise.all(begun.map((options) => finish(newAuthenticator().register(options))))
    expect([answers.map(({ status }) => status).toSorted(), (await list()).length]).toEqual([[201, 201, 409, 409], 20])
    expect((await harness.ask('POST', '/auth/passkeys/options', headers)).status).toBe(409)
  })

  it('come with one set of recovery codes when the first two are added at once', async () => {
    const registrations = [device.register(await begin()), newAuthenticator().register(await begin())]
    const answers = await atOnce(registrations.map((each) => () => finish(each)))
    expect(answers.map(({ body }) => body.recoveryCodes.length).toSorted()).toEqual([0, 10])
  })

  it('keep their recovery codes when one is added while the last is removed', async () => {
    const { passkey } = await add()
    const registration = newAuthenticator().register(await begin())
    const remove = async () => (await harness.ask('DELETE', `/auth/passkeys/${passkey.id}`, headers)).status
    const [added, removed] = await atOnce([async () => (await finish(registration)).status, remove])
    const state = (await harness.ask('GET', '/auth/two-step/setup', headers)).body
    expect([added, removed, state]).toMatchObject([201, 204, { passkeys: 1, recoveryCodesLeft: 10 }])
  })

  it('cannot all be removed while the instance requires a second step, and set one up where it is missing', async () => {
    const { passkey } = await add()
    await harness.ask('PUT', '/instance/sign-in-rules', headers, { requiresTwoStep: true })
    const refused = await harness.ask('DELETE', `/auth/passkeys/${passkey.id}`, headers)
    const member = await harness.addUser({ instanceId, role: 'viewer' })
    const session = await harness.logIn(member.email)
    await add(newAuthenticator(), session)
    const renewed = await harness.refresh(session.refreshToken)
    expect([refused.status, (await list()).length, (await harness.ask('GET', '/webhooks/subscriptions', renewed)).status]).toEqual([
      409, 1, 200,
    ])
  })

  describe('refuse, and change nothing', () => {
    const FORGED: readonly (readonly [string, Forged])[] = [
      ['an answer of another origin', { origin: 'https://evil.example' }],
      ['an answer for another host', { rpId: 'evil.example' }],
      ['an answer to another challenge', { challenge: 'c29tZXRoaW5nIGVsc2U' }],
      ['an answer without verification of the user', { unverified: true }],
      ['an answer of another kind', { type: 'payment.get' }],
    ]

    it.each(FORGED)('%s, when one is added', async (_name, forged) => {
      const { status, body } = await finish(device.register(await begin(), forged))
      expect([status, (body as unknown as { errors: unknown }).errors]).toEqual([400, [{ field: 'passkey', message: 'is not accepted' }]])
      expect([await list(), (await waiting()).twoStepVerify]).toEqual([[], false])
    })

    it.each(FORGED)('%s, at a login', async (_name, forged) => {
      await add()
      const { status, body } = await logIn(device, forged)
      expect([status, body.detail, (await list())[0]?.lastUsedOn]).toEqual([401, 'The passkey is not accepted.', null])
    })

    it('a challenge that was used, has expired, or was given for something else or to somebody else', async () => {
      await add()
      const challenge = await waiting()
      const { options } = await offer(challenge)
      const used = device.assert(options)
      expect([(await complete(challenge, { passkey: used })).status, (await complete(await waiting(), { passkey: used })).status]).toEqual([
        200, 401,
      ])
      const old = (await offer(await waiting())).options
      harness.moveClock(300_000)
      const forProof = (await harness.ask<Options>('POST', '/auth/proof/passkey', headers)).body
      const other = await harness.logIn((await harness.addUser({ instanceId })).email)
      const foreign = await begin(other)
      const statuses: number[] = []
      for (const each of [old, forProof, foreign, await begin()])
        statuses.push((await complete(await waiting(), { passkey: device.assert(each) })).status)
      expect(statuses).toEqual([401, 401, 401, 401])
      expect((await finish(newAuthenticator().register(foreign))).status).toBe(400)
    })

    it('the passkey of another user, and one that is registered already', async () => {
      await add()
      const stranger = await harness.addUser({ instanceId })
      const session = await harness.logIn(stranger.email)
      const theirs = newAuthenticator()
      await add(theirs, session)
      expect([(await logIn(theirs)).status, (await finish(device.register(await begin(session)), session)).status]).toEqual([401, 409])
      expect((await list(session)).length).toBe(1)
    })

    it('a signature that was tampered with, and an answer that is cut or is no CBOR', async () => {
      await add()
      const challenge = await waiting()
      const { options } = await offer(challenge)
      const { response, ...rest } = device.assert(options)
      const bent = `${response.signature.slice(0, 20)}${response.signature[20] === 'A' ? 'B' : 'A'}${response.signature.slice(21)}`
      expect((await complete(challenge, { passkey: { ...rest, response: { ...response, signature: bent } } })).status).toBe(401)
      const statuses: number[] = []
      for (const damage of [
        (text: string) => text.slice(0, text.length / 2),
        (text: string) => text.slice(0, 8),
        () => 'AAAA',
        () => '_____w',
      ]) {
        const registration = newAuthenticator().register(await begin())
        const attestationObject = damage(registration.response.attestationObject)
        statuses.push((await finish({ ...registration, response: { ...registration.response, attestationObject } })).status)
      }
      expect([statuses, (await list()).length]).toEqual([[400, 400, 400, 400], 1])
    })

    it('an answer of 1 MB, before it is read', async () => {
      const registration = device.register(await begin())
      const huge = { ...registration, response: { ...registration.response, attestationObject: 'A'.repeat(1_000_000) } }
      expect([(await finish(huge)).status, await list()]).toEqual([413, []])
    })

    it('a counter that has not risen, as of a copy, which is recorded', async () => {
      await add()
      device.counter = 40
      expect((await logIn()).status).toBe(200)
      device.counter = 40
      const again = await logIn()
      device.counter = 7
      expect([again.status, (await logIn()).status]).toEqual([401, 401])
      const entries = await listAudit(harness.deps.database, instanceId, 50)
      const refused = entries.filter(({ entry }) => entry.action === 'passkey.refused')
      expect(refused.map(({ entry }) => entry.details)).toEqual([{ reason: 'counter' }, { reason: 'counter' }])
      device.counter = 41
      expect((await logIn()).status).toBe(200)
    })

    it('more than five tries of one login', async () => {
      await add()
      const challenge = await waiting()
      const { options } = await offer(challenge)
      const statuses: number[] = []
      for (let count = 0; count < 5; count += 1)
        statuses.push((await complete(challenge, { passkey: newAuthenticator().assert(options) })).status)
      const { status } = await harness.ask('POST', '/auth/two-step/passkey', challenge)
      expect([statuses, status]).toEqual([[401, 401, 401, 401, 401], 401])
    })
  })
})

describe('a deployment whose address has no host name', () => {
  it('offers no passkeys, and says so', async () => {
    const harness = await signInHarness('http://127.0.0.1:8080')
    const headers = await harness.logIn((await harness.addUser()).email)
    const { status, body } = await harness.ask('POST', '/auth/passkeys/options', headers)
    await harness.close()
    expect([status, body.detail]).toEqual([409, 'Passkeys need a BASE_URL with a host name.'])
  })
})
