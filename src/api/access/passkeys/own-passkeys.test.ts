import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { newAuthenticator } from '../../../../test/sign-in/authenticator.ts'
import { emailOf, storeMember, storeTwoInstances } from '../../../../test/sign-in/stored-members.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { getOwnAccount } from '../account/own-account.ts'
import type { UserCaller } from '../caller.ts'
import { checkAssertion } from './ceremonies.ts'
import {
  addOwnPasskey,
  beginOwnPasskey,
  beginPasskeyProof,
  getOwnPasskey,
  holderOf,
  listOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
} from './own-passkeys.ts'

const MINUTE = 60_000
const bare = openForTests(bareAccess)
const failsWith = (status: number, message?: string) => expect.objectContaining({ status, ...(message === undefined ? {} : { message }) })
const run = async (statement: string, values: unknown[] = []) => (await bare.database.query(statement, values)).rows

const callerOf = (instanceId: string, userId: string): UserCaller => ({
  ...{ instanceId, userId, role: 'admin', sessionId: randomUUID(), keyId: null, provenAtMs: 0, lacksTwoStep: false },
})

async function make() {
  const { instanceId, userId } = await storeTwoInstances(bare.database)
  return { caller: callerOf(instanceId, userId), instanceId, userId, user: await getOwnAccount(bare.access, callerOf(instanceId, userId)) }
}

async function add(caller: UserCaller, device = newAuthenticator()) {
  const response = device.register(await beginOwnPasskey(bare.access, caller)) as never
  return { ...(await addOwnPasskey(bare.access, caller, { id: randomUUID(), name: 'Laptop', response })), device }
}

/** What the entries of an instance say, oldest first. */
const trailOf = async (instanceId: string) =>
  (await listAudit(bare.database, instanceId, 50))
    .map(({ entry: { action, userId, subject, before, after, details } }) => [action, userId, subject, { before, after, details }])
    .toReversed()

describe('own passkeys', () => {
  it('are made for the user by name, read, renamed and removed by the user alone, and each leaves an entry', async () => {
    const { caller, instanceId, userId } = await make()
    const options = await beginOwnPasskey(bare.access, caller)
    expect(options).toMatchObject({
      ...{ rp: { id: 'localhost', name: 'Countinghouse' }, timeout: 300_000, excludeCredentials: [] },
      user: { name: emailOf(userId), displayName: 'Avery', id: Buffer.from(userId).toString('base64url') },
    })
    const first = await add(caller)
    bare.moveClock(MINUTE)
    const second = await add(caller)
    expect([first.recoveryCodes.length, second.recoveryCodes]).toEqual([10, []])
    const { id } = second.passkey
    expect(second.passkey).toEqual({ id, name: 'Laptop', createdOn: bare.access.now(), lastUsedOn: null })
    expect(await getOwnPasskey(bare.access, caller, id)).toMatchObject(second.passkey)
    expect(await renameOwnPasskey(bare.access, caller, id, 'Phone')).toMatchObject({ ...second.passkey, name: 'Phone' })
    expect((await listOwnPasskeys(bare.access, caller)).map((passkey) => [passkey.id, passkey.name])).toEqual([
      [first.passkey.id, 'Laptop'],
      [id, 'Phone'],
    ])
    const stranger = callerOf(instanceId, await storeMember(bare.database, instanceId))
    const none = failsWith(404, 'No such passkey.')
    await expect(getOwnPasskey(bare.access, stranger, id)).rejects.toEqual(none)
    await expect(renameOwnPasskey(bare.access, stranger, id, 'Mine')).rejects.toEqual(none)
    await expect(removeOwnPasskey(bare.access, stranger, id)).rejects.toEqual(none)
    await removeOwnPasskey(bare.access, caller, id)
    expect((await listOwnPasskeys(bare.access, caller)).map((passkey) => passkey.id)).toEqual([first.passkey.id])
    const subject = `user/${userId}`
    expect(await trailOf(instanceId)).toEqual([
      ['passkey.added', userId, subject, { after: { name: 'Laptop' } }],
      ['passkey.added', userId, subject, { after: { name: 'Laptop' } }],
      ['passkey.renamed', userId, subject, { before: { name: 'Laptop' }, after: { name: 'Phone' } }],
      ['passkey.removed', userId, subject, { before: { name: 'Phone' } }],
    ])
  })

  it('are added by an answer to their own options only, once', async () => {
    const { caller } = await make()
    const { challenge } = await beginOwnPasskey(bare.access, caller)
    const given = (of: string) => ({ id: randomUUID(), name: 'Laptop', response: newAuthenticator().register({ challenge: of }) as never })
    const refused = expect.objectContaining({ status: 400, fields: [{ field: 'passkey', message: 'is not accepted' }] })
    await expect(addOwnPasskey(bare.access, caller, given('AAAA'))).rejects.toEqual(refused)
    await addOwnPasskey(bare.access, caller, given(challenge))
    await expect(addOwnPasskey(bare.access, caller, given(challenge))).rejects.toEqual(refused)
    const late = await beginOwnPasskey(bare.access, caller)
    bare.moveClock(5 * MINUTE)
    await expect(addOwnPasskey(bare.access, caller, given(late.challenge))).rejects.toEqual(refused)
  })

  it('turn two-step login off with the last of them, unless the instance requires it or there is an app', async () => {
    const { caller, instanceId, userId } = await make()
    const rows = async () => (await run('select from two_steps where user_id = $1', [userId])).length
    const only = await add(caller)
    expect(await rows()).toBe(1)
    await run('update instances set two_step_required_at = now() where id = $1', [instanceId])
    await expect(removeOwnPasskey(bare.access, caller, only.passkey.id)).rejects.toEqual(
      failsWith(409, 'This instance requires two-step login.'),
    )
    expect((await listOwnPasskeys(bare.access, caller)).length).toBe(1)
    await run('update two_steps set lacks_app = false where user_id = $1', [userId])
    await removeOwnPasskey(bare.access, caller, only.passkey.id)
    expect(await rows()).toBe(1)
    await run('update two_steps set lacks_app = true where user_id = $1', [userId])
    await run('update instances set two_step_required_at = null where id = $1', [instanceId])
    const last = await add(caller)
    await removeOwnPasskey(bare.access, caller, last.passkey.id)
    expect(await rows()).toBe(0)
  })
})

describe('a proof by a passkey', () => {
  const assertion = async (caller: UserCaller, purpose: 'login' | 'proof', response: object) =>
    await checkAssertion(bare.access, holderOf({ instanceId: caller.instanceId, id: caller.userId }), purpose, response as never)

  it('is right once, for its purpose, within five minutes, and with a counter that has risen', async () => {
    const { caller, user } = await make()
    await expect(beginPasskeyProof(bare.access, user)).rejects.toEqual(failsWith(409, 'The account has no passkey.'))
    const { device } = await add(caller)
    const begin = async () => await beginPasskeyProof(bare.access, user)
    const options = await begin()
    expect(options).toMatchObject({ rpId: 'localhost', timeout: 300_000, allowCredentials: [{ id: device.id, transports: ['internal'] }] })
    const response = device.assert(options)
    expect([await assertion(caller, 'proof', response), await assertion(caller, 'proof', response)]).toEqual(['right', 'wrong'])
    expect(await assertion(caller, 'login', device.assert(await begin()))).toBe('wrong')
    expect(await assertion(caller, 'proof', device.assert({ challenge: 'AAAA' }))).toBe('wrong')
    expect(await assertion(caller, 'proof', newAuthenticator().assert(await begin()))).toBe('wrong')
    const late = await begin()
    bare.moveClock(5 * MINUTE)
    expect(await assertion(caller, 'proof', device.assert(late))).toBe('wrong')
    device.counter = 0
    expect(await assertion(caller, 'proof', device.assert(await begin()))).toBe('copied')
    const good = device.assert(await begin())
    const bent = { ...good, response: { ...good.response, signature: newAuthenticator().assert({ challenge: 'AAAA' }).response.signature } }
    expect(await assertion(caller, 'proof', bent)).toBe('wrong')
    const [shown] = await listOwnPasskeys(bare.access, caller)
    expect(shown?.lastUsedOn).toEqual(new Date(bare.access.now().getTime() - 5 * MINUTE))
  })

  it('of several is by the one that has signed', async () => {
    const { caller, user } = await make()
    const first = await add(caller)
    bare.moveClock(MINUTE)
    const second = await add(caller)
    for (const { device } of [second, first])
      expect(await assertion(caller, 'proof', device.assert(await beginPasskeyProof(bare.access, user)))).toBe('right')
  })
})
