import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PASSWORD, testApi } from '../../../../test/harness/test-api.ts'
import { endSessionsOfUser } from '../../../store/access/sessions.ts'
import { completeChallenge, createChallenge } from '../../../store/access/two-step.ts'
import { createAccess } from '../access.ts'
import { logIn } from '../login/login.ts'

describe('a password that is changed while a login with the old one is under way', () => {
  it.each([false, true])('opens no session with the old one (two-step: %s)', async (twoStep) => {
    const api = await testApi()
    const { id, email } = await api.addUser()
    const { database, keys, log, settings, now, sealer, providers } = api.deps
    const access = createAccess({ database, keys, sealer, log, settings, now, providers })
    if (twoStep) {
      await database.query(
        `insert into two_steps (instance_id, user_id, secret, started_at, confirmed_at) values ($1, $2, '\\x00', now(), now())`,
        [api.instanceId, id],
      )
    }
    const hash = await access.hashing.hash('crimson-orchard-lantern-47')
    const verify = access.hashing.verify.bind(access.hashing)
    access.hashing.verify = async (stored, password) => {
      const fits = await verify(stored, password)
      await database.query('update users set password_hash = $2 where id = $1', [id, hash])
      return fits
    }
    await expect(logIn(access, email, PASSWORD, { network: '203.0.113.9', agent: 'Firefox', language: null })).rejects.toMatchObject({
      status: 401,
    })
    const { rows } = await database.query<{ passwordHash: string }>('select password_hash as "passwordHash" from users where id = $1', [id])
    expect(rows[0]?.passwordHash).toBe(hash)
    const left = await database.query('select from sessions union all select from login_challenges')
    expect(left.rowCount).toBe(0)
    await api.close()
  })

  it('ends a login that waits for its code', async () => {
    const api = await testApi()
    const { id } = await api.addUser()
    const challenge = { instanceId: api.instanceId, id: randomUUID(), userId: id, expiresAt: new Date('2030-01-01') }
    await createChallenge(api.deps.database, challenge)
    await endSessionsOfUser(api.deps.database, api.instanceId, id, 'password changed', api.deps.now())
    expect(await completeChallenge(api.deps.database, api.instanceId, challenge.id, api.deps.now())).toBe(false)
    await api.close()
  })

  it('keeps logins that renew an outdated hash at the same time', async () => {
    const api = await testApi()
    const { email } = await api.addUser()
    const { database, keys, log, settings, now, sealer, providers } = api.deps
    const hashCost = { ...settings.hashCost, passes: settings.hashCost.passes + 1 }
    const access = createAccess({ database, keys, sealer, log, settings: { ...settings, hashCost }, now, providers })
    const client = { network: '203.0.113.9', agent: 'Firefox', language: null } as const
    const results = await Promise.all([1, 2, 3].map(() => logIn(access, email, PASSWORD, client)))
    expect(results.map(({ step }) => step)).toEqual(['done', 'done', 'done'])
    await api.close()
  })
})
