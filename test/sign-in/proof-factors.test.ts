import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAccess } from '../../src/api/access/access.ts'
import { proveAgain } from '../../src/api/access/proof/prove.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { type Authenticator, newAuthenticator } from './authenticator.ts'
import { type Headers, signInHarness } from './harness.ts'

const MINUTE = 60_000
const harness = openForTests(signInHarness)
const prove = async (headers: Headers, body: object) =>
  await harness.ask<{ provenOn: string; freshUntil: string; errors?: unknown }>('POST', '/auth/proof', headers, body)
/** Proof by a passkey; a forged one is of another origin. */
async function byPasskey(headers: Headers, device: Authenticator, isForged = false) {
  const options = (await harness.ask<{ challenge: string }>('POST', '/auth/proof/passkey', headers)).body
  return (await prove(headers, { passkey: device.assert(options, isForged ? { origin: 'https://evil.example' } : {}) })).status
}
async function entries(instanceId: string, beginning: string) {
  const all = (await listAudit(harness.deps.database, instanceId, 100)).map(({ entry }) => entry)
  return all.filter(({ action }) => action.startsWith(beginning)).toReversed()
}

describe('a proof by a passkey', () => {
  it('is tried five times in a quarter of an hour, and a right one takes the wrong ones back', async () => {
    const { headers } = await harness.addMember()
    const device = newAuthenticator()
    await harness.addPasskey(headers, device)
    const statuses: number[] = []
    for (const isForged of [true, true, true, true, false]) statuses.push(await byPasskey(headers, device, isForged))
    expect(statuses).toEqual([400, 400, 400, 400, 200])
    statuses.length = 0
    for (let count = 0; count < 6; count += 1) statuses.push(await byPasskey(headers, device, true))
    expect([statuses, await byPasskey(headers, device)]).toEqual([[400, 400, 400, 400, 400, 429], 429])
    harness.moveClock(15 * MINUTE)
    expect(await byPasskey(headers, device)).toBe(200)
  })

  it('is offered to nobody who has none', async () => {
    const { headers } = await harness.addMember()
    expect((await harness.ask('POST', '/auth/proof/passkey', headers)).status).toBe(409)
  })
})

describe('a proof', () => {
  it('is in the audit with what was right, and what was wrong, in the order of the tries', async () => {
    const { headers, instanceId, userId } = await harness.addMember()
    const { secret, recoveryCodes } = await harness.setUpApp(headers)
    const device = newAuthenticator()
    await harness.addPasskey(headers, device)
    await prove(headers, { password: PASSWORD, code: '000000' })
    await prove(headers, { password: PASSWORD, code: harness.nextCode(secret) })
    // The second time it is used up.
    for (let count = 0; count < 2; count += 1) await prove(headers, { password: PASSWORD, recoveryCode: recoveryCodes[0] })
    await byPasskey(headers, device, true)
    await byPasskey(headers, device)
    const told = await entries(instanceId, 'session.pro')
    expect(told.map(({ action, details }) => [action, details])).toEqual([
      ['session.proof-refused', { reason: 'code' }],
      ['session.proven', { factor: 'code' }],
      ['session.proven', { factor: 'recovery code' }],
      ['session.proof-refused', { reason: 'code' }],
      ['session.proof-refused', { reason: 'passkey' }],
      ['session.proven', { factor: 'passkey' }],
    ])
    expect(new Set(told.map((entry) => entry.userId))).toEqual(new Set([userId]))
    expect(new Set(told.map(({ subject }) => subject)).size).toBe(1)
    expect(told[0]?.subject).toMatch(/^session\/[0-9a-f-]{36}$/)
  })

  it('names the field of what is missing or wrong', async () => {
    const { headers } = await harness.addMember()
    const { secret } = await harness.setUpApp(headers)
    const fieldsOf = async (body: object) => (await prove(headers, body)).body.errors
    expect(await fieldsOf({ code: harness.nextCode(secret) })).toEqual([{ field: 'password', message: 'is required' }])
    expect(await fieldsOf({ password: PASSWORD })).toEqual([{ field: 'code', message: 'is required' }])
    expect(await fieldsOf({ password: 'wrong', code: '000000' })).toEqual([{ field: 'password', message: 'is wrong' }])
    expect(await fieldsOf({ password: PASSWORD, code: '000000' })).toEqual([expect.objectContaining({ field: 'code' })])
  })

  it('is told with its end, a quarter of an hour later, and with the ways of the account', async () => {
    const { headers } = await harness.addMember()
    const { body } = await prove(headers, { password: PASSWORD })
    expect(Date.parse(`${body.freshUntil}Z`) - Date.parse(`${body.provenOn}Z`)).toBe(15 * MINUTE)
    expect(body).toMatchObject({ way: 'password', twoStepVerify: false, hasPasskey: false })
    await harness.addPasskey(headers)
    expect((await harness.ask('GET', '/auth/proof', headers)).body).toMatchObject({
      way: 'password',
      twoStepVerify: true,
      hasPasskey: true,
    })
  })

  it('that is right forgets the wrong ones before it', async () => {
    const { headers } = await harness.addMember()
    const statuses: number[] = []
    for (const password of ['wrong', 'wrong', 'wrong', 'wrong', PASSWORD, 'wrong', 'wrong', PASSWORD])
      statuses.push((await prove(headers, { password })).status)
    expect(statuses).toEqual([400, 400, 400, 400, 200, 400, 400, 200])
  })

  it('of a session that has ended meanwhile gives no token', async () => {
    const { instanceId, userId } = await harness.addMember()
    const ids = { instanceId, userId, sessionId: randomUUID() }
    const caller = { ...ids, role: 'admin', keyId: null, provenAtMs: 0, lacksTwoStep: false } as const
    await expect(proveAgain(createAccess(harness.deps), caller, { password: PASSWORD, proof: null })).rejects.toMatchObject({ status: 401 })
    expect(await entries(instanceId, 'session.proven')).toEqual([])
  })
})

describe('the name of a passkey', () => {
  it('is changed by its owner alone, and the audit has both names', async () => {
    const { headers, instanceId, userId } = await harness.addMember()
    const other = await harness.addMember({ instanceId })
    const { passkey } = await harness.addPasskey(headers)
    const rename = async (id: string, as = headers) => (await harness.ask('PUT', `/auth/passkeys/${id}`, as, { name: 'Phone' })).status
    expect([await rename(passkey.id, other.headers), await rename(randomUUID()), await rename(passkey.id)]).toEqual([404, 404, 200])
    expect((await harness.ask('GET', `/auth/passkeys/${passkey.id}`, headers)).body).toMatchObject({ name: 'Phone' })
    await harness.ask('DELETE', `/auth/passkeys/${passkey.id}`, headers)
    const about = { userId, subject: `user/${userId}` }
    expect(await entries(instanceId, 'passkey.')).toEqual([
      expect.objectContaining({ ...about, action: 'passkey.added', after: { name: 'Laptop' } }),
      expect.objectContaining({ ...about, action: 'passkey.renamed', before: { name: 'Laptop' }, after: { name: 'Phone' } }),
      expect.objectContaining({ ...about, action: 'passkey.removed', before: { name: 'Phone' } }),
    ])
  })

  it('and the passkey itself are unknown to others of the instance', async () => {
    const { headers, instanceId } = await harness.addMember()
    const other = await harness.addMember({ instanceId })
    const { passkey } = await harness.addPasskey(headers)
    const asOther = async (method: 'GET' | 'DELETE') => (await harness.ask(method, `/auth/passkeys/${passkey.id}`, other.headers)).status
    expect([await asOther('GET'), await asOther('DELETE')]).toEqual([404, 404])
    expect((await harness.ask('GET', `/auth/passkeys/${passkey.id}`, headers)).status).toBe(200)
  })
})
