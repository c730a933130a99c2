import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { findPasswordHash } from '../../../store/access/users.ts'
import { createAccess } from '../access.ts'
import { CHALLENGE_SECONDS } from '../access-tokens.ts'
import { logIn } from './login.ts'

const CLIENT = { network: '203.0.113.9', agent: 'Firefox, Linux', language: null } as const

describe('a login by address and password', () => {
  const api = openForTests(testApi)
  const add = async () => {
    const instanceId = await api.addInstance()
    return { instanceId, ...(await api.addUser({ instanceId })) }
  }
  const change = async (sql: string, id: string) => await api.deps.database.query(sql, [id])
  const enter = async (email: string, password = PASSWORD, access = createAccess(api.deps)) => await logIn(access, email, password, CLIENT)
  const failuresIn = async (instanceId: string) =>
    (await listAudit(api.deps.database, instanceId, 10)).map(({ entry }) => entry).filter(({ action }) => action === 'login.failed')

  it('of a user with a second step gives a challenge for it, with its end, and no session', async () => {
    const { id, email, instanceId } = await add()
    await change(
      `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) select instance_id, id, '\\x00', now(), now() from users where id = $1`,
      id,
    )
    const access = createAccess(api.deps)
    const result = await enter(` ${email.toUpperCase()}`, PASSWORD, access)
    if (result.step !== 'second') throw new Error('a session was opened')
    expect(result.userName).toBe('Avery Tremblay')
    const { rows } = await api.deps.database.query<{ id: string; until: Date }>(
      'select id, expires_at as until from login_challenges where instance_id = $1 and user_id = $2',
      [instanceId, id],
    )
    expect(await access.tokens.verifyChallenge(result.challenge)).toEqual({ instanceId, challengeId: rows[0]?.id })
    expect(rows.map(({ until }) => until.getTime() - api.deps.now().getTime())).toEqual([CHALLENGE_SECONDS * 1_000])
    expect((await change('select from sessions where user_id = $1', id)).rows).toEqual([])
  })

  it('of a user without one opens a session', async () => {
    const { id, email } = await add()
    expect(await enter(email)).toMatchObject({ step: 'done', userName: 'Avery Tremblay' })
    expect((await change('select from sessions where user_id = $1', id)).rows).toHaveLength(1)
  })

  it('of nobody is refused like a wrong password, and counted', async () => {
    const { email } = await add()
    const messages: unknown[] = []
    for (const [address, password] of [
      ['nobody@example.com', PASSWORD],
      [email, 'wrong'],
    ] as const)
      await enter(address, password).catch((error: unknown) => messages.push(error))
    expect(messages).toEqual(
      [1, 2].map(() => expect.objectContaining({ status: 401, message: 'The e-mail address or the password is wrong.' })),
    )
    const { rows } = await api.deps.database.query('select network, attempts from unknown_logins')
    expect(rows).toEqual([{ network: CLIENT.network, attempts: 1 }])
  })

  it.each([
    ['password', 'wrong', null],
    ['disabled', PASSWORD, 'update users set disabled_at = now() where id = $1'],
    ['password', 'wrong', 'update users set disabled_at = now() where id = $1'],
  ])('that fails by the %s (%s) is told so in the audit alone', async (reason, password, before) => {
    const { id, email, instanceId } = await add()
    if (before !== null) await change(before, id)
    await expect(enter(email, password)).rejects.toMatchObject({ status: 401 })
    expect(await failuresIn(instanceId)).toEqual([expect.objectContaining({ subject: `user/${id}`, userId: null, details: { reason } })])
  })

  it('leaves the hash of the password as it is, unless its cost is another than the one that is set', async () => {
    const { id, email, instanceId } = await add()
    const stored = async () => await findPasswordHash(api.deps.database, instanceId, id)
    const before = await stored()
    await enter(email)
    expect(await stored()).toBe(before)
    const { settings } = api.deps
    const costlier = { ...settings, hashCost: { ...settings.hashCost, passes: settings.hashCost.passes + 1 } }
    await enter(email, PASSWORD, createAccess({ ...api.deps, settings: costlier }))
    const renewed = await stored()
    expect([renewed === before, renewed?.includes('t=3')]).toEqual([false, true])
    expect(await enter(email)).toMatchObject({ step: 'done' })
  })

  it('of an instance that is suspended is refused, once the password is right', async () => {
    const { id, email } = await add()
    await change(`insert into instance_suspensions (instance_id, reason) select instance_id, 'unpaid' from users where id = $1`, id)
    await expect(enter(email)).rejects.toMatchObject({ status: 403 })
    await expect(enter(email, 'wrong')).rejects.toMatchObject({ status: 401 })
  })
})
