import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../../test/harness/app/bare-access.ts'
import { failsWith, MANY } from '../../../../test/harness/app/bare-operators.ts'
import { addInstance } from '../../../../test/harness/app/tenants.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { listAudit } from '../../../store/access/audit.ts'
import { createUser } from '../account/user-accounts.ts'
import type { UserCaller } from '../caller.ts'
import { beginSetup, confirmSetup, describeTwoStep, disableTwoStep, renewRecoveryCodes } from './two-step-setup.ts'

const PASSWORD = 'violet-harbour-teapot-91'
const MINUTE = 60_000

const bare = openForTests(() => bareAccess({ login: MANY }))
const run = async (statement: string, values: unknown[] = []) => (await bare.database.query(statement, values)).rows

/** A user with three sessions: the caller's and two others. */
async function make(): Promise<UserCaller> {
  const instanceId = await addInstance(bare.database)
  const account = { email: `${randomUUID()}@example.com`, name: 'Avery', role: 'admin' as const, password: PASSWORD }
  const { id: userId } = await createUser(bare.access, instanceId, account)
  const sessions = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of sessions)
    await run(
      `insert into sessions (instance_id, id, user_id, created_at, last_used_at, expires_at) values ($1, $2, $3, $4, $4, $4::timestamptz + interval '30 days')`,
      [instanceId, id, userId, bare.access.now()],
    )
  return { instanceId, userId, role: 'admin', sessionId: sessions[0] ?? '', keyId: null, provenAtMs: 0, lacksTwoStep: false }
}

/** A code of a step that was not used. */
const nextCode = (secret: string): string => {
  bare.moveClock(MINUTE)
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: bare.access.now().getTime() })
}
/** The same user with an authenticator app. */
async function withApp(): Promise<{ caller: UserCaller; secret: string; codes: string[] }> {
  const caller = await make()
  const { secret } = await beginSetup(bare.access, caller, PASSWORD)
  return { caller, secret, codes: await confirmSetup(bare.access, caller, nextCode(secret), false) }
}
const addPasskey = async ({ instanceId, userId }: UserCaller) =>
  await run(
    `insert into passkeys (instance_id, id, user_id, credential_id, public_key, sign_count, transports, name, created_at)
     values ($1, gen_random_uuid(), $2, decode(md5(random()::text), 'hex'), '\\x00', 0, '{}', 'Key', now())`,
    [instanceId, userId],
  )
const requireTwoStep = async ({ instanceId }: UserCaller) =>
  await run('update instances set two_step_required_at = now() where id = $1', [instanceId])
const actionsOf = async ({ instanceId, userId }: UserCaller) =>
  (await listAudit(bare.database, instanceId, 50))
    .map(({ entry }) => {
      expect(entry).toMatchObject({ userId, subject: `user/${userId}` })
      return entry.action
    })
    .toReversed()
/** Why sessions of a user have ended, the caller's first; null: it goes on. */
const endsOf = async ({ userId, sessionId }: UserCaller) =>
  (await run('select end_reason as reason from sessions where user_id = $1 order by id = $2 desc', [userId, sessionId])).map(
    ({ reason }) => reason,
  )
const confirmation = (proof: object, more: object = {}) => ({
  password: PASSWORD,
  proof: proof as { code: string },
  endOtherSessions: false,
  ...more,
})
const field = (name: string, message: string) => expect.objectContaining({ status: 400, fields: [{ field: name, message }] })

const OFF = { enabled: false, hasApp: false, passkeys: 0, isRequired: false, recoveryCodesLeft: 0 }

describe('the state of two-step login', () => {
  it('is that of the app, the passkeys, the rule of the instance and the codes that are left', async () => {
    const plain = await make()
    const states = [await describeTwoStep(bare.access, plain)]
    await beginSetup(bare.access, plain, PASSWORD)
    states.push(await describeTwoStep(bare.access, plain))
    await requireTwoStep(plain)
    states.push(await describeTwoStep(bare.access, plain))
    const { caller } = await withApp()
    states.push(await describeTwoStep(bare.access, caller))
    await run(
      'update recovery_codes set used_at = now() where user_id = $1 and code_hash = (select min(code_hash) from recovery_codes where user_id = $1)',
      [caller.userId],
    )
    states.push(await describeTwoStep(bare.access, caller))
    expect(states).toEqual([
      OFF,
      OFF,
      { ...OFF, isRequired: true },
      { ...OFF, enabled: true, hasApp: true, recoveryCodesLeft: 10 },
      { ...OFF, enabled: true, hasApp: true, recoveryCodesLeft: 9 },
    ])
  })
})

describe('a set-up', () => {
  it('needs the password, and names the account in the address for the app', async () => {
    const caller = await make()
    await expect(beginSetup(bare.access, caller, 'wrong')).rejects.toEqual(expect.objectContaining({ status: 400 }))
    expect(await actionsOf(caller)).not.toContain('two-step.begun')
    const { secret, otpauthUrl } = await beginSetup(bare.access, caller, PASSWORD)
    expect([secret, decodeURIComponent(otpauthUrl)]).toEqual([
      expect.stringMatching(/^[A-Z2-7]{32}$/),
      expect.stringMatching(/^otpauth:\/\/totp\/Countinghouse:[0-9a-f-]{36}@example\.com\?/),
    ])
  })

  it.each([
    [10 * MINUTE, null],
    [10 * MINUTE + 1, failsWith(409, 'No set-up of two-step login is under way.')],
  ])('is confirmed within ten minutes: after %i ms', async (ms, expected) => {
    const caller = await make()
    const { secret } = await beginSetup(bare.access, caller, PASSWORD)
    bare.moveClock(ms - MINUTE)
    const outcome = await confirmSetup(bare.access, caller, nextCode(secret), false).then(
      (codes) => (new Set(codes).size === 10 ? null : codes),
      (error: unknown) => error,
    )
    expect(outcome).toEqual(expected)
    expect((await describeTwoStep(bare.access, caller)).enabled).toBe(expected === null)
  })

  it('is confirmed by a code of its own, once', async () => {
    const caller = await make()
    const none = failsWith(409, 'No set-up of two-step login is under way.')
    await expect(confirmSetup(bare.access, caller, '000000', false)).rejects.toEqual(none)
    const { secret } = await beginSetup(bare.access, caller, PASSWORD)
    await expect(confirmSetup(bare.access, caller, '000000', false)).rejects.toEqual(field('code', 'is wrong'))
    await confirmSetup(bare.access, caller, nextCode(secret), false)
    const on = failsWith(409, 'Two-step login is on already.')
    await expect(confirmSetup(bare.access, caller, nextCode(secret), false)).rejects.toEqual(on)
    await expect(beginSetup(bare.access, caller, PASSWORD)).rejects.toEqual(on)
    expect(await actionsOf(caller)).toEqual(['two-step.begun', 'two-step.enabled'])
  })
})

describe('a change of two-step login', () => {
  it.each([
    ['a wrong password', () => confirmation({ code: '000000' }, { password: 'wrong' }), expect.objectContaining({ status: 400 })],
    ['a wrong code', () => confirmation({ code: '000000' }), field('code', 'is wrong')],
    ['a wrong recovery code', () => confirmation({ recoveryCode: 'A'.repeat(31) }), expect.objectContaining({ status: 400 })],
  ])('is refused with %s', async (_what, given, refused) => {
    const { caller } = await withApp()
    await expect(disableTwoStep(bare.access, caller, given())).rejects.toEqual(refused)
    await expect(renewRecoveryCodes(bare.access, caller, given())).rejects.toEqual(refused)
    expect([(await describeTwoStep(bare.access, caller)).enabled, await actionsOf(caller)]).toEqual([
      true,
      ['two-step.begun', 'two-step.enabled'],
    ])
  })

  it('is refused while it is off', async () => {
    const off = failsWith(409, 'Two-step login is off.')
    await expect(disableTwoStep(bare.access, await make(), confirmation({ code: '000000' }))).rejects.toEqual(off)
    await expect(renewRecoveryCodes(bare.access, await make(), confirmation({ code: '000000' }))).rejects.toEqual(off)
  })

  it('that takes the app away turns it off, unless the instance requires it', async () => {
    const { caller, secret } = await withApp()
    await requireTwoStep(caller)
    const required = failsWith(409, 'This instance requires two-step login.')
    await expect(disableTwoStep(bare.access, caller, confirmation({ code: nextCode(secret) }))).rejects.toEqual(required)
    expect((await describeTwoStep(bare.access, caller)).hasApp).toBe(true)
    await run('update instances set two_step_required_at = null where id = $1', [caller.instanceId])
    await disableTwoStep(bare.access, caller, confirmation({ code: nextCode(secret) }))
    expect([await describeTwoStep(bare.access, caller), (await actionsOf(caller)).at(-1)]).toEqual([OFF, 'two-step.disabled'])
  })

  it('that takes the app away beside a passkey leaves it on, also where it is required', async () => {
    const { caller, secret } = await withApp()
    await addPasskey(caller)
    await requireTwoStep(caller)
    await disableTwoStep(bare.access, caller, confirmation({ code: nextCode(secret) }))
    expect(await describeTwoStep(bare.access, caller)).toEqual({
      enabled: true,
      hasApp: false,
      passkeys: 1,
      isRequired: true,
      recoveryCodesLeft: 10,
    })
  })

  it('of the recovery codes makes ten others, and the earlier ones void', async () => {
    const { caller, secret, codes } = await withApp()
    const renewed = await renewRecoveryCodes(bare.access, caller, confirmation({ code: nextCode(secret) }))
    expect(new Set([...codes, ...renewed]).size).toBe(20)
    await expect(renewRecoveryCodes(bare.access, caller, confirmation({ recoveryCode: codes[1] ?? '' }))).rejects.toEqual(
      expect.objectContaining({ status: 400 }),
    )
    expect((await renewRecoveryCodes(bare.access, caller, confirmation({ recoveryCode: renewed[0] ?? '' }))).length).toBe(10)
  })

  it('ends the other sessions of the user where that is asked for, with the reason', async () => {
    const { caller, secret } = await withApp()
    expect(await endsOf(caller)).toEqual([null, null, null])
    await renewRecoveryCodes(bare.access, caller, confirmation({ code: nextCode(secret) }, { endOtherSessions: true }))
    expect(await endsOf(caller)).toEqual([null, 'two-step.codes-renewed', 'two-step.codes-renewed'])
    const fresh = await make()
    const begun = await beginSetup(bare.access, fresh, PASSWORD)
    await confirmSetup(bare.access, fresh, nextCode(begun.secret), true)
    expect(await endsOf(fresh)).toEqual([null, 'two-step.enabled', 'two-step.enabled'])
  })
})
