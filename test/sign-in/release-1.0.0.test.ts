import { beforeEach, describe, expect, it } from 'vitest'
import { findTwoStep } from '../../src/store/access/two-step.ts'
import { openForTests } from '../harness/for-tests.ts'
import { PASSWORD } from '../harness/test-api.ts'
import { type Headers, signInHarness } from './harness.ts'

/** What release 1.0.0 reads at a login: a session is opened at once where it is false. */
const OF_RELEASE = `select t.confirmed_at is not null as "twoStep"
  from users u left join two_steps t on t.instance_id = u.instance_id and t.user_id = u.id where u.email = $1`

describe('a process of release 1.0.0, which knows no passkeys, beside this one', () => {
  const harness = openForTests(signInHarness)
  let email: string
  let headers: Headers
  let instanceId: string
  let userId: string
  beforeEach(async () => {
    ;({ instanceId, userId, email, headers } = await harness.addMember())
  })
  const beginApp = async () =>
    (await harness.ask<{ secret: string }>('POST', '/auth/two-step/setup', headers, { password: PASSWORD })).body.secret
  async function asksForCode(): Promise<boolean> {
    const { rows } = await harness.deps.database.query<{ twoStep: boolean }>(OF_RELEASE, [email])
    return rows[0]?.twoStep ?? false
  }
  const confirmedAt = async () => (await findTwoStep(harness.deps.database, instanceId, userId))?.confirmedAt
  const hasApp = async () => (await harness.ask<{ hasApp: boolean }>('GET', '/auth/two-step/setup', headers)).body.hasApp

  it('asks for a code once a passkey is the only second step, and no longer when it is removed', async () => {
    const before = await asksForCode()
    const { passkey } = await harness.addPasskey(headers)
    const during = [await asksForCode(), await hasApp(), await confirmedAt()]
    await harness.ask('DELETE', `/auth/passkeys/${passkey.id}`, headers)
    expect([before, during, await asksForCode()]).toEqual([false, [true, false, null], false])
  })

  it('asks for a code when the app is removed and a passkey stays', async () => {
    const { secret } = await harness.setUpApp(headers)
    await harness.addPasskey(headers)
    await harness.ask('POST', '/auth/two-step/disable', headers, { password: PASSWORD, code: harness.nextCode(secret) })
    expect([await asksForCode(), await hasApp()]).toEqual([true, false])
  })

  it('asks for a code while an app is being set up, before and after the passkey is added', async () => {
    const first = await beginApp()
    const withoutPasskey = await asksForCode()
    await harness.addPasskey(headers)
    const added = await asksForCode()
    const second = await beginApp()
    expect([withoutPasskey, added, await asksForCode(), await hasApp(), first === second]).toEqual([false, true, true, false, false])
    const confirmed = await harness.ask('POST', '/auth/two-step/setup/confirm', headers, { code: harness.nextCode(second) })
    expect([confirmed.status, await asksForCode(), await hasApp()]).toEqual([200, true, true])
  })
})
