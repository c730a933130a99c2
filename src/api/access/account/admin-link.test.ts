import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { failsWith } from '../../../../test/harness/app/bare-operators.ts'
import { addInstance } from '../../../../test/harness/app/tenants.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { findLoginUser, type Role } from '../../../store/access/users.ts'
import { hashSecret } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { ADMIN_LINK, issueAdminLink, NoSuchAdmin } from './admin-link.ts'
import { addUser, createUser } from './user-accounts.ts'

const HOUR = 3_600_000
const PASSWORD = 'violet-harbour-teapot-91'

const bare = openForTests(() => bareAccess())
let instanceId: string
beforeEach(async () => {
  await bare.database.query('delete from users')
  instanceId = await addInstance(bare.database)
})

const add = async (role: Role, email = `${randomUUID()}@example.com`, of = instanceId) =>
  await createUser(bare.access, of, { email, name: 'Avery', role, password: PASSWORD })
const issue = async (email: string | null) => await issueAdminLink(bare.access, email, 'https://data.example.com')
const auditOf = async (id: string) =>
  (await listAudit(bare.database, id, 20)).map(({ entry: { action, userId, subject } }) => ({ action, userId, subject })).toReversed()

describe('a link for an administrator', () => {
  it('lasts an hour, is stored as a hash, replaces earlier ones of its administrator, and is in the audit', async () => {
    const [admin, other] = [await add('admin'), await add('admin')]
    await issue(other.email)
    const [first, link] = [await issue(admin.email), await issue(` ${admin.email.toUpperCase()} `)]
    expect(link).toEqual({
      email: admin.email,
      address: expect.stringMatching(/^https:\/\/data\.example\.com\/portal\/new-password#[\w-]{43}$/),
      expiresAt: new Date(bare.access.now().getTime() + HOUR),
    })
    const { rows } = await bare.database.query<{ hash: Buffer }>(
      'select token_hash as hash from password_resets where user_id = $1 and used_at is null',
      [admin.id],
    )
    const hashOf = ({ address }: typeof link) => Buffer.from(hashSecret(bare.access, ADMIN_LINK, new URL(address).hash.slice(1)))
    expect([rows, hashOf(first).equals(hashOf(link))]).toEqual([[{ hash: hashOf(link) }], false])
    const ofOther = await bare.database.query('select from password_resets where user_id = $1 and used_at is null', [other.id])
    expect(ofOther.rowCount).toBe(1)
    expect((await auditOf(instanceId)).at(-1)).toEqual({ action: 'password.link-issued', userId: null, subject: `user/${admin.id}` })
  })

  it('needs no address where there is one administrator in the whole deployment', async () => {
    await add('developer')
    await expect(issue(null)).rejects.toThrow(
      new NoSuchAdmin('there is no administrator yet; start the service once, which creates SEED_EMAIL'),
    )
    const { email } = await add('admin')
    expect((await issue(null)).email).toBe(email)
    await add('admin', undefined, await addInstance(bare.database))
    await expect(issue(null)).rejects.toThrow(new NoSuchAdmin('there is more than one administrator; name one with --email'))
  })

  it('is for nobody else, and for none who is disabled or signs in elsewhere', async () => {
    const [admin, developer] = [await add('admin'), await add('developer')]
    const none = (email: string) => new NoSuchAdmin(`there is no administrator ${email}, or the account is disabled`)
    await expect(issue(developer.email)).rejects.toThrow(none(developer.email))
    await expect(issue('nobody@example.com')).rejects.toThrow(none('nobody@example.com'))
    await bare.database.query('update users set disabled_at = now() where id = $1', [admin.id])
    await expect(issue(admin.email)).rejects.toThrow(none(admin.email))
    await bare.database.query('update users set disabled_at = null where id = $1', [admin.id])
    await bare.database.query(
      `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', '', '{openid}', '{}', null, '{}', false, false, null, '{}', '{}', true, null, gen_random_uuid(), now())`,
      [instanceId],
    )
    await expect(issue(admin.email)).rejects.toThrow(`countinghouse instance allow-passwords ${instanceId}`)
    expect((await bare.database.query('select from password_resets')).rowCount).toBe(0)
  })
})

describe('a user whom an administrator adds', () => {
  const caller = (): UserCaller => ({
    ...{ instanceId, userId: randomUUID(), role: 'admin', sessionId: randomUUID(), keyId: null, provenAtMs: 0, lacksTwoStep: false },
  })
  const account = (more: object = {}) => ({
    email: `${randomUUID()}@example.com`,
    name: 'Kim',
    role: 'viewer' as const,
    password: PASSWORD,
    ...more,
  })

  it('has a trimmed name, an address in lower case and the password, and is in the audit', async () => {
    const by = caller()
    const id = randomUUID()
    const user = await addUser(
      bare.access,
      by,
      account({ email: ` ${id.toUpperCase()}@Example.com`, name: ' Kim Roy ', role: 'developer' }),
    )
    expect(user).toMatchObject({ instanceId, email: `${id}@example.com`, name: 'Kim Roy', role: 'developer', isEnabled: true })
    const hash = (await findLoginUser(bare.database, user.email))?.passwordHash ?? null
    expect([await bare.access.hashing.verify(hash, PASSWORD), await bare.access.hashing.verify(hash, 'another')]).toEqual([true, false])
    expect(await auditOf(instanceId)).toEqual([{ action: 'user.created', userId: by.userId, subject: `user/${user.id}` }])
  })

  it('is refused with a password that is easy to guess, and with an address that somebody has in any instance', async () => {
    const guessable = expect.objectContaining({ status: 400, fields: [expect.objectContaining({ field: 'password' })] })
    await expect(addUser(bare.access, caller(), account({ password: 'password' }))).rejects.toEqual(guessable)
    const { email } = await add('viewer', undefined, await addInstance(bare.database))
    await expect(addUser(bare.access, caller(), account({ email }))).rejects.toEqual(failsWith(409, 'The e-mail address is taken.'))
    expect([
      (await bare.database.query('select from users where instance_id = $1', [instanceId])).rowCount,
      await auditOf(instanceId),
    ]).toEqual([0, []])
  })
})
