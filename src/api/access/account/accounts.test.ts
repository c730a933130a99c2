import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { emailOf, storeMember, storeTwoInstances } from '../../../../test/sign-in/stored-members.ts'
import type { Role } from '../../../store/access/users.ts'
import type { UserCaller } from '../caller.ts'
import { changePassword, checkPassword, getOwnAccount } from './own-account.ts'
import { endOwnSession, getOwnSession, listOwnSessions } from './own-sessions.ts'
import { endSessionsOfMember, resetTwoStep } from './sign-in-rules.ts'
import { changeUser, removeUser } from './user-accounts.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const NEW = 'quiet-orchard-lantern-58'
const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const bare = openForTests(bareAccess)

const failsWith = (status: number, message?: string) => expect.objectContaining({ status, ...(message === undefined ? {} : { message }) })
const faultOf = (field: string, message: string) => expect.objectContaining({ status: 400, fields: [{ field, message }] })
const run = async (statement: string, values: unknown[] = []) => (await bare.database.query(statement, values)).rows

/** A session of a user; returns the caller. */
async function callerOf(instanceId: string, userId: string, role: Role = 'admin'): Promise<UserCaller> {
  const sessionId = randomUUID()
  await run(
    `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at) values ($1, $2, $3, $4, $4, $4::timestamptz + interval '30 days')`,
    [instanceId, sessionId, userId, bare.access.now()],
  )
  await run(
    `insert into refresh_tokens (instance_id, session_id, generation, token_hash, expires_at)
     values ($1, $2, 0, decode(md5($2::uuid::text), 'hex'), $3::timestamptz + interval '7 days')`,
    [instanceId, sessionId, bare.access.now()],
  )
  return { instanceId, userId, role, sessionId, keyId: null, provenAtMs: 0, lacksTwoStep: false }
}

/** An instance with an administrator who has a password and a session; and another instance. */
async function make() {
  const { instanceId, otherId, userId } = await storeTwoInstances(bare.database)
  await run('update users set password_hash = $2 where id = $1', [userId, await bare.access.hashing.hash(PASSWORD)])
  return { instanceId, otherId, userId, caller: await callerOf(instanceId, userId) }
}

/** Why each session of a user has ended, oldest first; null: it goes on. */
const endsOf = async (userId: string) =>
  (await run('select end_reason as reason from sessions where user_id = $1 order by ended_at nulls last', [userId])).map(
    ({ reason }) => reason,
  )
const addReset = async (instanceId: string, userId: string) =>
  await run(
    `insert into password_resets (instance_id, user_id, token_hash, created_at, expires_at) values ($1, $2, decode(md5($2::uuid::text || random()), 'hex'), now(), now() + interval '1 day')`,
    [instanceId, userId],
  )
const openResets = async (userId: string) =>
  (await run('select from password_resets where user_id = $1 and used_at is null', [userId])).length
const requireProvider = async (instanceId: string) =>
  await run(
    `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', '', '{openid}', '{}', null, '{}', false, false, null, '{}', '{}', true, null, gen_random_uuid(), now())`,
    [instanceId],
  )

describe('the own account', () => {
  it('is nobody’s once it is disabled or deleted', async () => {
    const { caller, userId } = await make()
    expect(await getOwnAccount(bare.access, caller)).toMatchObject({ id: userId, email: emailOf(userId) })
    await run('update users set disabled_at = now() where id = $1', [userId])
    await expect(getOwnAccount(bare.access, caller)).rejects.toEqual(failsWith(401))
    await run('delete from users where id = $1', [userId])
    await expect(getOwnAccount(bare.access, caller)).rejects.toEqual(failsWith(401))
  })

  it('has its password checked, five times in a quarter of an hour, right ones too', async () => {
    const { caller, userId } = await make()
    expect(await checkPassword(bare.access, caller, PASSWORD)).toMatchObject({ id: userId })
    for (let tries = 0; tries < 4; tries += 1)
      await expect(checkPassword(bare.access, caller, 'wrong')).rejects.toEqual(faultOf('password', 'is wrong'))
    await expect(checkPassword(bare.access, caller, PASSWORD)).rejects.toEqual(failsWith(429))
    bare.moveClock(900_000)
    expect(await checkPassword(bare.access, caller, PASSWORD)).toMatchObject({ id: userId })
  })

  it('gets another password, which ends its other sessions and its links; no attempt stays counted', async () => {
    const { caller, instanceId, userId } = await make()
    const other = await callerOf(instanceId, userId)
    await addReset(instanceId, userId)
    await expect(changePassword(bare.access, caller, 'wrong', NEW)).rejects.toEqual(faultOf('password', 'is wrong'))
    await expect(changePassword(bare.access, caller, PASSWORD, 'password1')).rejects.toEqual(faultOf('newPassword', 'is too easy to guess'))
    expect([await endsOf(userId), await openResets(userId)]).toEqual([[null, null], 1])
    for (const [before, after] of [
      [PASSWORD, NEW],
      [NEW, PASSWORD],
      [PASSWORD, NEW],
      [NEW, PASSWORD],
      [PASSWORD, NEW],
    ] as const)
      await changePassword(bare.access, caller, before, after)
    expect([await endsOf(userId), await openResets(userId)]).toEqual([['password changed', null], 0])
    await expect(getOwnSession(bare.access, caller, other.sessionId)).rejects.toEqual(failsWith(404, 'No such session.'))
    expect(await getOwnSession(bare.access, caller, caller.sessionId)).toMatchObject({ id: caller.sessionId })
  })

  it('gets none where the instance requires its identity provider', async () => {
    const { caller, instanceId, userId } = await make()
    await requireProvider(instanceId)
    await expect(changePassword(bare.access, caller, PASSWORD, NEW)).rejects.toEqual(failsWith(403))
    expect(await endsOf(userId)).toEqual([null])
  })

  it('has sessions that end once, and are nobody else’s', async () => {
    const { caller, instanceId, otherId, userId } = await make()
    const [own, stranger] = [await callerOf(instanceId, userId), await storeMember(bare.database, instanceId)]
    const theirs = await callerOf(instanceId, stranger)
    expect((await listOwnSessions(bare.access, caller)).map(({ id }) => id).toSorted()).toEqual(
      [caller.sessionId, own.sessionId].toSorted(),
    )
    for (const wrong of [
      { ...caller, userId: stranger },
      { ...caller, instanceId: otherId },
    ])
      await expect(endOwnSession(bare.access, wrong, own.sessionId)).rejects.toEqual(failsWith(404, 'No such session.'))
    await expect(endOwnSession(bare.access, caller, theirs.sessionId)).rejects.toEqual(failsWith(404))
    await endOwnSession(bare.access, caller, own.sessionId)
    await expect(endOwnSession(bare.access, caller, own.sessionId)).rejects.toEqual(failsWith(404))
    expect([await endsOf(userId), await endsOf(stranger)]).toEqual([['ended by its user', null], [null]])
  })
})

describe('an administrator', () => {
  it('ends the sessions of members of the own instance, and says how many', async () => {
    const { caller, instanceId, otherId } = await make()
    const [member, foreign] = [await storeMember(bare.database, instanceId), await storeMember(bare.database, otherId)]
    for (const [of, id] of [
      [instanceId, member],
      [instanceId, member],
      [otherId, foreign],
    ] as const)
      await callerOf(of, id)
    expect([await endSessionsOfMember(bare.access, caller, member), await endSessionsOfMember(bare.access, caller, member)]).toEqual([2, 0])
    await expect(endSessionsOfMember(bare.access, caller, foreign)).rejects.toEqual(failsWith(404, 'No such user.'))
    expect([await endsOf(member), await endsOf(foreign)]).toEqual([['ended by an administrator', 'ended by an administrator'], [null]])
  })

  it('resets the second step of others, in the own instance', async () => {
    const { caller, instanceId, otherId, userId } = await make()
    const [member, foreign] = [await storeMember(bare.database, instanceId), await storeMember(bare.database, otherId)]
    for (const [of, id] of [
      [instanceId, member],
      [otherId, foreign],
      [instanceId, userId],
    ] as const) {
      await run(`insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) values ($1, $2, '\\x00', now(), now())`, [
        of,
        id,
      ])
    }
    await callerOf(instanceId, member)
    await expect(resetTwoStep(bare.access, caller, userId)).rejects.toEqual(failsWith(409))
    await expect(resetTwoStep(bare.access, caller, foreign)).rejects.toEqual(failsWith(404, 'No such user.'))
    await resetTwoStep(bare.access, caller, member)
    await expect(resetTwoStep(bare.access, caller, member)).rejects.toEqual(failsWith(409, 'The user has no two-step login.'))
    expect((await run('select user_id from two_steps where user_id = any($1::uuid[])', [[member, foreign, userId]])).length).toBe(2)
    expect(await endsOf(member)).toEqual(['two-step login reset'])
  })

  it.each<[string, { role?: Role; isEnabled?: boolean; password?: string }, boolean, Role | null]>([
    ['a new name ends nothing', {}, false, 'viewer'],
    ['a new role ends the sessions and links', { role: 'integration' }, true, 'integration'],
    ['a new password does', { password: NEW }, true, 'viewer'],
    ['being disabled does', { isEnabled: false }, true, 'developer'],
  ])('changes a member: %s', async (_what, change, isEnd, byHand) => {
    const { caller, instanceId } = await make()
    const member = await storeMember(bare.database, instanceId, { role: 'developer' })
    await run(
      `insert into scim_users (instance_id, user_id, user_name, user_name_key, attributes, is_active, role_by_hand) values ($1, $2, 'x', $2::uuid::text, '{}', true, 'viewer')`,
      [instanceId, member],
    )
    await callerOf(instanceId, member)
    await addReset(instanceId, member)
    const after = { name: 'Other', role: 'developer' as Role, isEnabled: true, ...change }
    const { password, ...kept } = after
    expect(await changeUser(bare.access, caller, member, after)).toMatchObject({ ...kept, updatedOn: bare.access.now() })
    expect([await endsOf(member), await openResets(member)]).toEqual(isEnd ? [['account changed'], 0] : [[null], 1])
    expect(await run('select role_by_hand as role from scim_users where user_id = $1', [member])).toEqual([{ role: byHand }])
    const [{ hash }] = (await run('select password_hash as hash from users where id = $1', [member])) as [{ hash: string }]
    expect(hash === 'first').toBe(password === undefined)
  })

  it('may be renamed as the last one, not demoted, disabled or deleted; one of another instance is none', async () => {
    const { caller, userId, otherId } = await make()
    await storeMember(bare.database, otherId)
    const kept = failsWith(409, 'An instance keeps at least one admin.')
    expect(await changeUser(bare.access, caller, userId, { name: 'Same', role: 'admin', isEnabled: true })).toMatchObject({ name: 'Same' })
    for (const change of [
      { role: 'viewer', isEnabled: true },
      { role: 'admin', isEnabled: false },
    ] as const)
      await expect(changeUser(bare.access, caller, userId, { name: 'x', ...change })).rejects.toEqual(kept)
    await expect(removeUser(bare.access, caller, userId)).rejects.toEqual(kept)
    const easy = { name: 'x', role: 'admin', isEnabled: true, password: 'password1' } as const
    await expect(changeUser(bare.access, caller, userId, easy)).rejects.toEqual(faultOf('password', 'is too easy to guess'))
    await expect(removeUser(bare.access, caller, UNKNOWN)).rejects.toEqual(failsWith(404, 'No such user.'))
  })
})
