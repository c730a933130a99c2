import { beforeEach, describe, expect, it } from 'vitest'
import { createAccess } from '../../src/api/access/access.ts'
import { issueAdminLink, NoSuchAdmin } from '../../src/api/access/account/admin-link.ts'
import { resetPassword } from '../../src/api/access/passwords/password-reset.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { findUser } from '../../src/store/access/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type Member, signInHarness } from './harness.ts'

const NEW = 'quiet-lantern-orchard-27'
const URL_OF_PORTAL = 'https://books.example.com'
const harness = openForTests(signInHarness)
let member: Member
beforeEach(async () => {
  member = await harness.addMember()
})
let networks = 0
/** Asks for a link from a network of its own, or from this one. */
async function forget(email: string, network?: string): Promise<number> {
  networks += 1
  const remoteAddress = network ?? `198.18.${networks >> 8}.${networks & 255}`
  const url = '/admin/api/v1/auth/forgotten-password'
  return (await harness.app.inject({ method: 'POST', url, payload: { email, language: 'en' }, remoteAddress })).statusCode
}
const issue = async (email: string | null) => await issueAdminLink(createAccess(harness.deps), email, URL_OF_PORTAL)
const tokenOf = ({ address }: { address: string }) => address.split('#')[1] ?? ''
const reset = async (token: string) => await resetPassword(createAccess(harness.deps), token, NEW)
const entries = async (action: string) =>
  (await listAudit(harness.deps.database, member.instanceId, 50)).map(({ entry }) => entry).filter((entry) => entry.action === action)

describe('asking for a link', () => {
  it('is counted for an address, however it is written', async () => {
    const [name = '', host = ''] = member.email.split('@')
    const spellings = [member.email, member.email.toUpperCase(), ` ${member.email}`, `${name}@${host.toUpperCase()}`, `${member.email} `]
    const statuses: number[] = []
    for (const email of [...spellings, member.email]) statuses.push(await forget(email))
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
    harness.moveClock(3_600_000)
    expect(await forget(member.email)).toBe(202)
  })

  it('is counted for a network: thirty an hour, whatever the addresses', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1) statuses.push(await forget(`somebody${count}@example.org`, '203.0.113.99'))
    expect([new Set(statuses.slice(0, 30)), statuses[30]]).toEqual([new Set([202]), 429])
    expect(await forget('another@example.org', '203.0.113.98')).toBe(202)
  })
})

describe('a link that an operator passes on', () => {
  it('lasts an hour, invalidates those before it, and is in the audit', async () => {
    const first = await issue(member.email)
    const second = await issue(member.email.toUpperCase())
    expect(second).toEqual({
      email: member.email,
      address: expect.stringMatching(/^https:\/\/books\.example\.com\/portal\/new-password#[\w-]{43}$/),
      expiresAt: new Date(harness.deps.now().getTime() + 3_600_000),
    })
    await expect(reset(tokenOf(first))).rejects.toMatchObject({ status: 400 })
    const { rows } = await harness.deps.database.query<{ minutes: number }>(
      'select round(extract(epoch from expires_at - created_at) / 60)::int as minutes from password_resets where user_id = $1',
      [member.userId],
    )
    expect(rows.map(({ minutes }) => minutes)).toEqual([60, 60])
    const about = { subject: `user/${member.userId}`, userId: null }
    expect(await entries('password.link-issued')).toEqual([expect.objectContaining(about), expect.objectContaining(about)])
    await reset(tokenOf(second))
  })

  it('sets the password, ends the sessions and is in the audit, but proves no address', async () => {
    await reset(tokenOf(await issue(member.email)))
    const user = await findUser(harness.deps.database, member.instanceId, member.userId)
    expect(user?.emailProvenOn).toBeNull()
    const { rows } = await harness.deps.database.query('select end_reason as reason from sessions where user_id = $1', [member.userId])
    expect(rows).toEqual([{ reason: 'password reset' }])
    expect(await entries('password.reset')).toEqual([expect.objectContaining({ subject: `user/${member.userId}`, userId: member.userId })])
  })

  it.each([
    ['an address that nobody has', async () => 'nobody@example.org'],
    ['a member who is no administrator', async () => (await harness.addMember({ role: 'developer' })).email],
    [
      'an administrator who is disabled',
      async () => {
        await harness.deps.database.query('update users set disabled_at = now() where id = $1', [member.userId])
        return member.email
      },
    ],
    ['nobody in particular, where there are several administrators', async () => null],
  ])('is not made for %s', async (_whom, emailOf) => {
    await harness.addMember()
    await expect(issue(await emailOf())).rejects.toThrow(NoSuchAdmin)
  })

  it('is made for the only administrator there is, and not where there is none', async () => {
    const own = await signInHarness()
    const issueAlone = async () => await issueAdminLink(createAccess(own.deps), null, URL_OF_PORTAL)
    await expect(issueAlone()).rejects.toThrow(NoSuchAdmin)
    await own.addMember({ role: 'developer' })
    const { email } = await own.addMember()
    expect((await issueAlone()).email).toBe(email)
    await own.close()
  })

  it('is not made, nor taken, where passwords do not work', async () => {
    const link = await issue(member.email)
    await harness.deps.database.query(
      `insert into identity_providers values ($1, gen_random_uuid(), 'https://login.example.com', 'app', 'secret canary', '{openid}', '{}', null, '{}', false, false,
         null, '{}', '{}', true, null, gen_random_uuid(), now())`,
      [member.instanceId],
    )
    await expect(issue(member.email)).rejects.toThrow(NoSuchAdmin)
    await expect(reset(tokenOf(link))).rejects.toMatchObject({ status: 403 })
    expect(await forget(member.email)).toBe(403)
  })
})
