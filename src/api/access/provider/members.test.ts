import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { logInAt, testApi } from '../../../../test/harness/test-api.ts'
import { whileOpen } from '../../../../test/harness/while-open.ts'
import { listAudit } from '../../../store/access/audit.ts'
import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { findUser, type Role, type User } from '../../../store/access/users.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { createAccess } from '../access.ts'
import type { Person } from './claims.ts'
import { applyRole, settleMember } from './members.ts'

const api = openForTests(testApi)
const open = () => createAccess({ ...api.deps, mail: { sealer: api.deps.sealer, hashToken: (token: string) => Buffer.from(token) } })
const find = async (instanceId: string, id: string): Promise<User> => {
  const user = await findUser(api.deps.database, instanceId, id)
  if (!user) throw new Error('there is no such user')
  return user
}
async function instanceWithAdmin(): Promise<string> {
  const instanceId = await api.addInstance()
  await api.addUser({ instanceId })
  return instanceId
}
const addMember = async (instanceId: string, role: Role) => await find(instanceId, (await api.addUser({ instanceId, role })).id)
const noticesIn = async (instanceId: string) =>
  (await api.deps.database.query(`select from mails where instance_id = $1 and kind = 'newAdministrator'`, [instanceId])).rows.length
const sessionsOf = async ({ id }: User) =>
  (
    await api.deps.database.query<{ id: string; reason: string | null }>(
      'select id, end_reason as reason from sessions where user_id = $1',
      [id],
    )
  ).rows
const apply = async (user: User, role: Role, sessionId: string | null = null) =>
  await inTransaction(api.deps.database, (db) => applyRole(open(), db, user, role, sessionId))

describe('a role that the provider’s groups give', () => {
  it.each<[Role, Role, number]>([
    ['viewer', 'admin', 1],
    ['viewer', 'developer', 0],
    ['viewer', 'viewer', 0],
    ['admin', 'viewer', 0],
  ])('from %s to %s is told to %3$s other administrators', async (before, after, notices) => {
    const instanceId = await instanceWithAdmin()
    const user = await addMember(instanceId, before)
    expect((await apply(user, after)).role).toBe(after)
    expect([(await find(instanceId, user.id)).role, await noticesIn(instanceId)]).toEqual([after, notices])
    const entries = (await listAudit(api.deps.database, instanceId, 10))
      .map(({ entry }) => entry)
      .filter(({ action }) => action === 'user.changed')
    const entry = { userId: user.id, subject: `user/${user.id}`, before: { role: before }, after: { role: after } }
    expect(entries).toEqual(before === after ? [] : [expect.objectContaining(entry)])
  })

  it('ends the other sessions of the member, whose tokens name the one before, with the reason', async () => {
    const user = await addMember(await instanceWithAdmin(), 'viewer')
    for (let count = 0; count < 2; count += 1) await logInAt(api.app, user.email)
    const [kept] = await sessionsOf(user)
    await apply(user, 'viewer', kept?.id ?? null)
    expect((await sessionsOf(user)).map(({ reason }) => reason)).toEqual([null, null])
    await apply(user, 'developer', kept?.id ?? null)
    const after = await sessionsOf(user)
    expect(after.find(({ id }) => id === kept?.id)?.reason).toBeNull()
    expect(after.find(({ id }) => id !== kept?.id)?.reason).toBe('role changed by the identity provider')
  })

  it('is given also where nobody is an administrator', async () => {
    const user = await addMember(await api.addInstance(), 'viewer')
    expect((await apply(user, 'developer')).role).toBe('developer')
  })

  it('leaves the last admin one, and says so in the log', async () => {
    const instanceId = await api.addInstance()
    const user = await addMember(instanceId, 'admin')
    expect([(await apply(user, 'viewer')).role, (await find(instanceId, user.id)).role]).toEqual(['admin', 'admin'])
    const line = api.logged.map((text) => JSON.parse(text)).find(({ userId }) => userId === user.id)
    expect(line).toMatchObject({ instanceId, msg: expect.stringContaining('the admin stays one') })
  })

  it('changes nobody who has been disabled, or given another role, since', async () => {
    const user = await addMember(await instanceWithAdmin(), 'viewer')
    await api.deps.database.query(`update users set role = 'integration' where id = $1`, [user.id])
    expect((await apply(user, 'developer')).role).toBe('integration')
    await api.deps.database.query(`update users set role = 'viewer', disabled_at = now() where id = $1`, [user.id])
    await apply(user, 'developer')
    expect(await find(user.instanceId, user.id)).toMatchObject({ role: 'viewer', isEnabled: false })
  })
})

describe('a person who comes for the first time', () => {
  const PERSON: Person = { subject: 's', email: null, isEmailVerified: true, name: null, groups: null }
  const settle = async (instanceId: string, person: Partial<Person>, settings: Partial<IdentityProvider> = {}) => {
    const provider: IdentityProvider = {
      ...{ instanceId, id: randomUUID(), version: randomUUID(), triedAt: null, updatedAt: api.deps.now(), isRequired: false },
      ...{ issuer: 'https://id.maple.example/x', clientId: 'books', sealedSecret: Buffer.alloc(1), scopes: ['openid'], parameters: {} },
      ...{ groupsClaim: null, emailDomains: ['maple.example'], trustsEmails: false, createsMembers: true, defaultRole: 'viewer' },
      ...{ acceptedAcr: [], acceptedAmr: [], ...settings },
    }
    return await inTransaction(api.deps.database, (db) => settleMember(open(), db, provider, { ...PERSON, ...person }, 'no password'))
  }
  const newEmail = () => `${randomUUID()}@maple.example`

  it.each<[Role, number]>([
    ['admin', 1],
    ['viewer', 0],
  ])('and becomes %s is told to %s other administrators', async (defaultRole, notices) => {
    const instanceId = await instanceWithAdmin()
    const email = newEmail()
    const user = await settle(instanceId, { email, name: 'Robin Roy' }, { defaultRole })
    expect(user).toMatchObject({ email, name: 'Robin Roy', role: defaultRole, isEnabled: true })
    expect(await noticesIn(instanceId)).toBe(notices)
    const entries = (await listAudit(api.deps.database, instanceId, 10)).map(({ entry }) => entry)
    const about = { userId: user.id, subject: `user/${user.id}` }
    expect(entries.slice(0, 2)).toEqual([
      expect.objectContaining({ ...about, action: 'identity.added', details: { host: 'id.maple.example' } }),
      expect.objectContaining({ ...about, action: 'user.created' }),
    ])
  })

  it('is called by the address where the provider tells no name, and is proven only where it vouches for it', async () => {
    const instanceId = await instanceWithAdmin()
    const email = newEmail()
    const { id, name } = await settle(instanceId, { email })
    expect([name, (await find(instanceId, id)).emailProvenOn]).toEqual([email, api.deps.now()])
    const unproven = await settle(instanceId, { subject: 't', email: newEmail(), isEmailVerified: false }, { emailDomains: [] })
    expect((await find(instanceId, unproven.id)).emailProvenOn).toBeNull()
  })

  it.each<[string, Partial<Person>, Partial<IdentityProvider>, string]>([
    ['names no address', { email: null }, {}, 'noEmail'],
    ['names no address, where all domains may come', { email: null }, { emailDomains: [] }, 'noEmail'],
    ['is of another domain', { email: 'a@maple.example.org' }, {}, 'otherDomain'],
    ['is of a domain within', { email: 'a@x.maple.example' }, {}, 'otherDomain'],
    ['has an address that is not proven', { isEmailVerified: false, email: 'a@maple.example' }, {}, 'unverifiedEmail'],
    ['is nobody', { email: 'new@maple.example' }, { createsMembers: false }, 'notMember'],
    ['has no role', { email: 'new@maple.example' }, { defaultRole: null }, 'noRole'],
  ])('and %2$j is refused: %4$s', async (_what, person, settings, code) => {
    const instanceId = await instanceWithAdmin()
    await expect(settle(instanceId, person, settings)).rejects.toMatchObject({ code })
    expect((await api.deps.database.query('select from users where instance_id = $1', [instanceId])).rows).toHaveLength(1)
  })

  it('and has the address of a member is that member, if the provider vouches for it and its domain is one of the settings’', async () => {
    const instanceId = await instanceWithAdmin()
    const email = newEmail()
    const { id } = await api.addUser({ instanceId, email, role: 'developer' })
    await expect(settle(instanceId, { email }, { emailDomains: [] })).rejects.toMatchObject({ code: 'taken' })
    await expect(settle(instanceId, { email, isEmailVerified: false }, { emailDomains: [] })).rejects.toMatchObject({
      code: 'unverifiedEmail',
    })
    expect(await settle(instanceId, { email, subject: 'first' })).toMatchObject({ id, role: 'developer' })
    await expect(settle(instanceId, { email, subject: 'second' })).rejects.toMatchObject({ code: 'taken' })
    await expect(settle(await instanceWithAdmin(), { email })).rejects.toMatchObject({ code: 'taken' })
    await api.deps.database.query('update users set disabled_at = now() where id = $1', [id])
    await expect(settle(instanceId, { email, subject: 'first' })).rejects.toMatchObject({ code: 'disabled' })
  })

  it('and is being enabled just then is let in', async () => {
    const instanceId = await instanceWithAdmin()
    const { id, email } = await api.addUser({ instanceId, email: newEmail(), role: 'developer' })
    await api.deps.database.query('update users set disabled_at = now() where id = $1', [id])
    const enabling = {
      id,
      first: [
        'select from instances i join users u on u.instance_id = i.id where u.id = $1 for no key update of i',
        'update users set disabled_at = null where id = $1',
      ],
    }
    expect(await whileOpen(api.deps.database, enabling, async () => await settle(instanceId, { email }))).toMatchObject({
      id,
      isEnabled: true,
    })
  })
})
