import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { type Headers, type Member, signInHarness } from './harness.ts'

const NEW_PASSWORD = 'orchard-lantern-58-mist'
const DETAILS = { name: 'Noor Haddad', role: 'viewer', isEnabled: true }

const harness = openForTests(signInHarness)

async function setUp(headers: Headers, endOtherSessions: boolean) {
  const { secret } = (await harness.ask<{ secret: string }>('POST', '/auth/two-step/setup', headers, { password: PASSWORD })).body
  return await harness.ask('POST', '/auth/two-step/setup/confirm', headers, { code: harness.nextCode(secret), endOtherSessions })
}

/** What ends sessions of a member who has two, by the member in the first or by an admin, and why they end, in their order. */
const ENDINGS: readonly [string, (admin: Member, member: Member) => Promise<{ status: number }>, (string | null)[]][] = [
  [
    'an admin ends them',
    (admin, { userId }) => harness.ask('DELETE', `/users/${userId}/sessions`, admin.headers),
    ['ended by an administrator', 'ended by an administrator'],
  ],
  [
    'an admin removes the second step',
    async (admin, { userId, headers }) => {
      await harness.setUpApp(headers)
      return await harness.ask('DELETE', `/users/${userId}/two-step`, admin.headers)
    },
    ['two-step login reset', 'two-step login reset'],
  ],
  [
    'an admin gives another role',
    (admin, { userId }) => harness.ask('PUT', `/users/${userId}`, admin.headers, { ...DETAILS, role: 'developer' }),
    ['account changed', 'account changed'],
  ],
  [
    'an admin disables the account',
    (admin, { userId }) => harness.ask('PUT', `/users/${userId}`, admin.headers, { ...DETAILS, isEnabled: false }),
    ['account changed', 'account changed'],
  ],
  [
    'an admin gives another password',
    (admin, { userId }) => harness.ask('PUT', `/users/${userId}`, admin.headers, { ...DETAILS, password: NEW_PASSWORD }),
    ['account changed', 'account changed'],
  ],
  [
    'an admin gives another name, which ends none',
    (admin, { userId }) => harness.ask('PUT', `/users/${userId}`, admin.headers, DETAILS),
    [null, null],
  ],
  [
    'the member changes the password, which leaves the own session',
    (_admin, { headers }) => harness.ask('POST', '/auth/password', headers, { password: PASSWORD, newPassword: NEW_PASSWORD }),
    [null, 'password changed'],
  ],
  [
    'the member sets up an authenticator app, which ends others on request only',
    (_admin, { headers }) => setUp(headers, false),
    [null, null],
  ],
  [
    'the member sets up an authenticator app and ends the others',
    (_admin, { headers }) => setUp(headers, true),
    [null, 'two-step.enabled'],
  ],
  ['the member logs out', (_admin, { headers }) => harness.ask('POST', '/auth/logout', headers), ['logout', null]],
]

describe('sessions end', () => {
  it.each(ENDINGS)('with the reason, and no others, when %s', async (_when, act, reasons) => {
    const admin = await harness.addMember()
    const member = await harness.addMember({ instanceId: admin.instanceId, role: 'viewer' })
    harness.moveClock(1_000)
    await harness.logIn(member.email)
    const { status } = await act(admin, member)
    const { rows } = await harness.deps.database.query<{ userId: string; reason: string | null }>(
      `select user_id as "userId", end_reason as reason from sessions where user_id in ($1, $2) order by created_at, id`,
      [admin.userId, member.userId],
    )
    expect(status).toBeLessThan(300)
    expect(rows.filter(({ userId }) => userId === member.userId).map(({ reason }) => reason)).toEqual(reasons)
    expect(rows.filter(({ userId }) => userId === admin.userId)).toEqual([{ userId: admin.userId, reason: null }])
  })
})
