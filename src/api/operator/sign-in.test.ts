import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../test/harness/app/bare-access.ts'
import { bareOperators, failsWith, MANY, MINUTE, NETWORK, PASSWORD } from '../../../test/harness/app/bare-operators.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { newAuthenticator } from '../../../test/sign-in/authenticator.ts'
import { insertOperator, setOperatorPassword } from '../../store/operators/operators.ts'
import { countAttempt, isKnownLoginNetwork } from '../access/login/login-rate-limit.ts'
import type { OperatorCaller } from './operator-caller.ts'
import { addOperatorPasskey, beginOperatorPasskey, beginOperatorProof, beginOperatorSecondStep, removeOperatorPasskey } from './passkeys.ts'
import { findCaller, signIn } from './sign-in.ts'
import { proveSecondStep, verifyProof } from './two-step.ts'

const bare = openForTests(() => bareAccess({ login: { ...MANY, perAccount: 5 } }))
const { make, begin, callerOf, nextCode, withApp, refusals } = bareOperators(bare)

describe('a passkey of an operator', () => {
  const add = async (caller: OperatorCaller, device = newAuthenticator()) => {
    const response = device.register(await beginOperatorPasskey(bare.access, caller)) as never
    const added = await addOperatorPasskey(bare.access, caller, { id: randomUUID(), name: 'Key', response, network: NETWORK })
    return { ...added, device }
  }

  it('opens the session as the first factor, with recovery codes, and is asked for from then on', async () => {
    const made = await make()
    const { opened, device } = await add(await begin(made))
    expect(opened).toMatchObject({ step: 'open', name: 'Sam Roy' })
    expect(opened?.recoveryCodes).toHaveLength(10)
    expect(await isKnownLoginNetwork(bare.access, `operator\0${made.email}`, NETWORK)).toBe(true)
    const second = await begin(made)
    const { options, hasApp } = await beginOperatorSecondStep(bare.access, second)
    expect([second.step, hasApp, options?.allowCredentials?.map(({ id }) => id)]).toEqual(['second', false, [device.id]])
    const signed = await proveSecondStep(bare.access, second, { passkey: device.assert(options ?? { challenge: '' }) as never }, NETWORK)
    const open = await callerOf(signed.token)
    expect((await add(open)).opened).toBeNull()
    const proof = device.assert(await beginOperatorProof(bare.access, open)) as never
    await verifyProof(bare.access, open, { passkey: proof })
  })

  it('is neither begun nor added by a sign-in that lacks its second step', async () => {
    const made = await withApp()
    const response = newAuthenticator().register(await beginOperatorPasskey(bare.access, made.open)) as never
    const second = await begin(made)
    const missing = failsWith(403, 'The second step of the sign-in is missing.')
    await expect(beginOperatorPasskey(bare.access, second)).rejects.toEqual(missing)
    const given = { id: randomUUID(), name: 'Key', response, network: NETWORK }
    await expect(addOperatorPasskey(bare.access, second, given)).rejects.toEqual(missing)
    expect(await beginOperatorSecondStep(bare.access, second)).toEqual({ options: null, hasApp: true })
  })

  it('that was copied is refused with its own reason, one with a wrong signature as a wrong one', async () => {
    const made = await make()
    const { opened, device } = await add(await begin(made))
    const open = await callerOf(opened?.token ?? '')
    const options = async () => await beginOperatorProof(bare.access, open)
    device.counter = 40
    await verifyProof(bare.access, open, { passkey: device.assert(await options()) as never })
    device.counter = 7
    await expect(verifyProof(bare.access, open, { passkey: device.assert(await options()) as never })).rejects.toEqual(failsWith(400))
    device.counter = 50
    const { response, ...rest } = device.assert(await options())
    const bent = { ...response, signature: newAuthenticator().assert({ challenge: 'AAAA' }).response.signature }
    await expect(verifyProof(bare.access, open, { passkey: { ...rest, response: bent } as never })).rejects.toEqual(failsWith(400))
    expect(await refusals(made)).toEqual([{ reason: 'counter of the passkey' }, { reason: 'passkey' }, { reason: 'passkey' }])
  })

  it('is removed unless it is the last second factor', async () => {
    const only = await add(await begin(await make()))
    const open = await callerOf(only.opened?.token ?? '')
    const last = failsWith(409, 'Operators need a second step: add another first.')
    await expect(removeOperatorPasskey(bare.access, open, only.passkey.id)).rejects.toEqual(last)
    const other = await add(open)
    await removeOperatorPasskey(bare.access, open, only.passkey.id)
    await expect(removeOperatorPasskey(bare.access, open, only.passkey.id)).rejects.toEqual(failsWith(404))
    await expect(removeOperatorPasskey(bare.access, open, other.passkey.id)).rejects.toEqual(last)
    const app = await withApp()
    const beside = await add(app.open)
    await removeOperatorPasskey(bare.access, app.open, beside.passkey.id)
    await expect(beginOperatorProof(bare.access, app.open)).rejects.toEqual(failsWith(409, 'The account has no passkey.'))
  })
})

describe('a sign-in of an operator', () => {
  const wrong = failsWith(401, 'The e-mail address or the password is wrong.')

  it('is refused in the same words for a wrong password, none, and nobody; only what is somebody’s leaves an entry', async () => {
    const [made, id] = [await make(), randomUUID()]
    const invited = { id, email: `${id}@example.com` }
    await insertOperator(bare.database, { ...invited, name: 'New' }, bare.access.now())
    for (const email of [made.email, invited.email, 'nobody@example.com']) {
      await expect(signIn(bare.access, email, 'wrong', NETWORK)).rejects.toEqual(wrong)
    }
    expect([await refusals(made), await refusals(invited)]).toEqual([[{ reason: 'password' }], [{ reason: 'password' }]])
    expect((await bare.database.query('select attempts from unknown_logins')).rows).toEqual([{ attempts: 1 }])
  })

  it('lasts ten minutes before its second step, then twelve hours, of which none may be idle', async () => {
    const made = await withApp()
    const { token } = await signIn(bare.access, ` ${made.email.toUpperCase()} `, PASSWORD, NETWORK)
    const isThere = async (of: string, afterMs: number) => {
      bare.moveClock(afterMs)
      return (await findCaller(bare.access, of)) !== null
    }
    expect([await isThere(token, 10 * MINUTE - 1), await isThere(token, 1)]).toEqual([true, false])
    const open = async () => (await proveSecondStep(bare.access, await begin(made), { code: nextCode(made.secret) }, NETWORK)).token
    const idle = await open()
    expect([await isThere(idle, 60 * MINUTE), await isThere(idle, 60 * MINUTE + 1)]).toEqual([true, false])
    const used = await open()
    const uses: boolean[] = []
    for (let hours = 0; hours < 11; hours += 1) uses.push(await isThere(used, 60 * MINUTE))
    uses.push(await isThere(used, 60 * MINUTE - 1), await isThere(used, 1))
    expect(uses).toEqual([...Array(12).fill(true), false])
    expect(await findCaller(bare.access, 'unknown')).toBeNull()
  })

  it('notes its use once a minute', async () => {
    const { open } = await withApp()
    const lastUse = async () =>
      (await bare.database.query<{ at: Date }>('select last_used_at as at from operator_sessions where id = $1', [open.id])).rows[0]?.at
    const { rows } = await bare.database.query<{ at: Date }>('select opened_at as at from operator_sessions where id = $1', [open.id])
    const token = (await signIn(bare.access, (await make()).email, PASSWORD, NETWORK)).token
    const caller = await callerOf(token)
    const of = async () =>
      (await bare.database.query<{ at: Date }>('select last_used_at as at from operator_sessions where id = $1', [caller.id])).rows[0]?.at
    const begun = await of()
    bare.moveClock(MINUTE)
    await findCaller(bare.access, token)
    const after = await of()
    bare.moveClock(1)
    await findCaller(bare.access, token)
    expect([after, await of(), await lastUse()]).toEqual([begun, bare.access.now(), rows[0]?.at])
  })

  it('has limits of its own: attempts at a user with the same address do not lock the operator out', async () => {
    const made = await make()
    for (let tries = 0; tries < 5; tries += 1) await countAttempt(bare.access, made.email, NETWORK)
    await expect(countAttempt(bare.access, made.email, NETWORK)).rejects.toEqual(failsWith(429))
    expect(await signIn(bare.access, made.email, PASSWORD, NETWORK)).toMatchObject({ step: 'setup' })
    for (let tries = 0; tries < 4; tries += 1) await expect(signIn(bare.access, made.email, 'wrong', NETWORK)).rejects.toEqual(wrong)
    await expect(signIn(bare.access, made.email, PASSWORD, NETWORK)).rejects.toEqual(failsWith(429))
  })

  it('renews a hash of another cost, and goes on with one that was renewed or set meanwhile', async () => {
    const made = await make()
    const hashOf = async () =>
      (await bare.database.query<{ hash: string }>('select password_hash as hash from operators where id = $1', [made.id])).rows[0]?.hash ??
      ''
    const before = await hashOf()
    await signIn(bare.access, made.email, PASSWORD, NETWORK)
    expect(await hashOf()).toBe(before)
    const { hashing } = bare.access
    const isOutdated = hashing.isOutdated.bind(hashing)
    hashing.isOutdated = () => true
    await signIn(bare.access, made.email, PASSWORD, NETWORK)
    const renewed = await hashOf()
    const [other, hash] = [await hashing.hash(PASSWORD), hashing.hash.bind(hashing)]
    const meanwhile = (stored: string) => async (password: string) => {
      await setOperatorPassword(bare.database, made.id, stored)
      return await hash(password)
    }
    hashing.hash = meanwhile(other)
    expect(await signIn(bare.access, made.email, PASSWORD, NETWORK)).toMatchObject({ step: 'setup' })
    expect([renewed === before, await hashOf()]).toEqual([false, other])
    hashing.hash = meanwhile(await hash('walnut-harbour-meadow-58'))
    await expect(signIn(bare.access, made.email, PASSWORD, NETWORK)).rejects.toEqual(wrong)
    Object.assign(hashing, { hash, isOutdated })
  })
})
