import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { testApi } from '../../../../test/harness/test-api.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { rememberNetwork } from '../../../store/access/login-rate-limits.ts'
import { setTwoStepRequired } from '../../../store/access/sign-in-rules.ts'
import { findLoginUser, type LoginUser } from '../../../store/access/users.ts'
import { createAccess, hashSecret } from '../access.ts'
import { recordUnknown, startSession } from './login.ts'
import { countAttempt } from './login-rate-limit.ts'

const CLIENT = { network: '203.0.113.9', agent: 'Firefox, Linux', language: 'fr-CA' } as const
const DAY_MS = 86_400_000
const admitAll = async () => undefined

describe('the session at the end of a login', () => {
  const api = openForTests(testApi)
  const signedIn: string[] = []
  const open = () => {
    const mail = { sealer: api.deps.sealer, hashToken: (token: string) => Buffer.from(token) }
    const onSignedIn = async (email: string): Promise<void> => {
      signedIn.push(email)
    }
    return createAccess({ ...api.deps, mail, onSignedIn })
  }
  async function addMember(): Promise<LoginUser> {
    const { email } = await api.addUser({ instanceId: await api.addInstance() })
    const user = await findLoginUser(api.deps.database, email)
    if (!user) throw new Error('the user was just added')
    return user
  }
  const rowsOf = async (sql: string, { id }: LoginUser) => (await api.deps.database.query(sql, [id])).rows
  const mailKinds = async ({ instanceId }: LoginUser) =>
    (await api.deps.database.query<{ kind: string }>('select kind from mails where instance_id = $1', [instanceId])).rows.map(
      ({ kind }) => kind,
    )
  const tokenOf = ({ accessToken }: { accessToken: string }) =>
    JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())

  it.each([
    ['as long as the caller says', 300_000, 300_000, 300_000],
    ['thirty days otherwise, and its token seven', null, 30 * DAY_MS, 7 * DAY_MS],
  ])('lasts %s, and what belongs to it is written in the same transaction', async (_how, lifeMs, sessionMs, tokenMs) => {
    const user = await addMember()
    let told: string | null = null
    const also = async (_db: unknown, sessionId: string): Promise<void> => {
      told = sessionId
    }
    await startSession(open(), user, CLIENT, 'provider', admitAll, { lifeMs, also })
    const [row] = await rowsOf(
      `select s.id, s.network, s.agent, s.expires_at as "endsAt", t.expires_at as "tokenEndsAt" from sessions s
       join refresh_tokens t on t.session_id = s.id where s.user_id = $1`,
      user,
    )
    const at = api.deps.now().getTime()
    expect(row).toEqual({
      ...{ id: told, network: CLIENT.network, agent: CLIENT.agent },
      ...{ endsAt: new Date(at + sessionMs), tokenEndsAt: new Date(at + tokenMs) },
    })
  })

  it('is not there when what belongs to it fails, nor when the last step no longer counts', async () => {
    const user = await addMember()
    const fail = async () => {
      throw new Error('in vain')
    }
    await expect(startSession(open(), user, CLIENT, 'provider', admitAll, { lifeMs: null, also: fail })).rejects.toThrow('in vain')
    await expect(startSession(open(), user, CLIENT, 'password', fail)).rejects.toThrow('in vain')
    expect([await rowsOf('select from sessions where user_id = $1', user), await mailKinds(user), signedIn.includes(user.email)]).toEqual([
      [],
      [],
      false,
    ])
  })

  it('asks for a second step where the instance requires one, unless the identity provider answers for the member', async () => {
    const user = await addMember()
    await setTwoStepRequired(api.deps.database, user.instanceId, true, api.deps.now())
    const lacks = async (factor: 'password' | 'provider') =>
      tokenOf(await startSession(open(), user, CLIENT, factor, admitAll)).two_step_setup === true
    expect([await lacks('password'), await lacks('provider')]).toEqual([true, false])
  })

  it('begins only with the identity provider where the instance requires it', async () => {
    const user = await addMember()
    await api.deps.database.query(
      `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', 'secret canary', '{openid}', '{}', null, '{}', false, false,
         null, '{}', '{}', true, null, gen_random_uuid(), now())`,
      [user.instanceId],
    )
    for (const factor of ['password', 'code', 'recovery code', 'passkey'] as const)
      await expect(startSession(open(), user, CLIENT, factor, admitAll)).rejects.toMatchObject({ status: 403 })
    await expect(startSession(open(), user, CLIENT, 'provider', admitAll)).resolves.toMatchObject({ userName: user.name })
  })

  it('is in the audit with the last step, and its user is named to whoever listens', async () => {
    const user = await addMember()
    await startSession(open(), user, CLIENT, 'recovery code', admitAll)
    const [latest] = await listAudit(api.deps.database, user.instanceId, 1)
    expect(latest?.entry).toMatchObject({
      ...{ action: 'login.succeeded', userId: user.id, subject: `user/${user.id}`, details: { factor: 'recovery code' } },
    })
    expect(signedIn).toContain(user.email)
  })

  it('is told by mail from the second login on, from a network that the account does not know', async () => {
    const user = await addMember()
    const from = async (network: string) => await startSession(open(), user, { ...CLIENT, network }, 'password', admitAll)
    await from('203.0.113.1')
    expect(await mailKinds(user)).toEqual([])
    await from('203.0.113.1')
    expect(await mailKinds(user)).toEqual([])
    await from('203.0.113.2')
    expect(await mailKinds(user)).toEqual(['newNetwork'])
    const known = hashSecret(open(), 'login network of account', [user.email, '203.0.113.3'].join('\0'))
    await rememberNetwork(api.deps.database, known, api.deps.now())
    await from('203.0.113.3')
    expect(await mailKinds(user)).toEqual(['newNetwork'])
    const { rows } = await api.deps.database.query<{ id: string; sealed: Buffer }>('select id, sealed from mails where instance_id = $1', [
      user.instanceId,
    ])
    const mails = rows.map(({ id: rowId, sealed }) =>
      api.deps.sealer.open({ instanceId: user.instanceId, table: 'mails', rowId, column: 'sealed' }, sealed),
    )
    for (const words of ['203.0.113.2', CLIENT.agent, '/portal/account']) expect(Buffer.from(mails[0] ?? []).toString()).toContain(words)
  })

  it('has the role that the user has by now, not the one that was read when the login began', async () => {
    const user = await addMember()
    await api.deps.database.query(`update users set role = 'viewer' where id = $1`, [user.id])
    expect(tokenOf(await startSession(open(), user, CLIENT, 'password', admitAll))).toMatchObject({ role: 'viewer' })
  })

  it('forgets the failures before it', async () => {
    const user = await addMember()
    const access = open()
    const tries = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) await countAttempt(access, user.email, CLIENT.network)
    }
    await tries(4)
    await startSession(access, user, CLIENT, 'password', admitAll)
    await tries(5)
    await expect(tries(1)).rejects.toMatchObject({ status: 429 })
  })
})

it('a failed login of an unknown address is counted by sixteen characters of its hash', async () => {
  const api = await testApi()
  await recordUnknown(createAccess(api.deps), 'nobody@example.com', '203.0.113.9')
  const { rows } = await api.deps.database.query('select network, attempts, addresses from unknown_logins')
  expect(rows).toEqual([{ network: '203.0.113.9', attempts: 1, addresses: [expect.stringMatching(/^[0-9a-f]{16}$/)] }])
  await api.close()
})
