import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../test/harness/app/bare-access.ts'
import { bareOperators, failsWith, MANY, MINUTE, NETWORK, PASSWORD } from '../../../test/harness/app/bare-operators.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { newAuthenticator } from '../../../test/sign-in/authenticator.ts'
import { listAudit } from '../../store/access/audit.ts'
import { insertPasskey } from '../../store/access/passkeys.ts'
import { insertOperator, setOperatorPassword } from '../../store/operators/operators.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import { hashSecret } from '../access/access.ts'
import { countAttempt, isKnownLoginNetwork } from '../access/login/login-rate-limit.ts'
import type { OperatorCaller } from './operator-caller.ts'
import {
  addOperatorPasskey,
  beginOperatorPasskey,
  beginOperatorProof,
  beginOperatorSecondStep,
  getOperatorPasskey,
  listOperatorPasskeys,
  removeOperatorPasskey,
  renameOperatorPasskey,
} from './passkeys.ts'
import { findCaller, signIn, signOut } from './sign-in.ts'
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

  /** What the entries about an operator say, oldest first, from the one of its first password on. */
  const trailOf = async ({ operatorId }: OperatorCaller) =>
    (await listAudit(bare.database, SYSTEM_INSTANCE_ID, 200))
      .filter(({ entry: { subject } }) => subject === `operator/${operatorId}`)
      .map(({ entry: { action, before, after, details } }) => [action, { before, after, details }])
      .toReversed()

  it('is read, renamed and removed by its holder alone, and each leaves an entry', async () => {
    const first = await add(await begin(await make()))
    const open = await callerOf(first.opened?.token ?? '')
    bare.moveClock(MINUTE)
    const second = await add(open)
    const { id } = second.passkey
    const shown = { id, name: 'Key', createdOn: bare.access.now(), lastUsedOn: null }
    expect(second.passkey).toEqual(shown)
    expect(await getOperatorPasskey(bare.access, open, id)).toMatchObject(shown)
    expect(await renameOperatorPasskey(bare.access, open, id, 'Spare')).toMatchObject({ ...shown, name: 'Spare' })
    expect((await listOperatorPasskeys(bare.access, open)).map((passkey) => [passkey.id, passkey.name])).toEqual([
      [first.passkey.id, 'Key'],
      [id, 'Spare'],
    ])
    const other = await callerOf((await add(await begin(await make()))).opened?.token ?? '')
    const none = failsWith(404, 'No such passkey.')
    await expect(getOperatorPasskey(bare.access, other, id)).rejects.toEqual(none)
    await expect(renameOperatorPasskey(bare.access, other, id, 'Mine')).rejects.toEqual(none)
    await expect(removeOperatorPasskey(bare.access, other, id)).rejects.toEqual(none)
    await removeOperatorPasskey(bare.access, open, id)
    await signOut(bare.access, open)
    expect(await findCaller(bare.access, first.opened?.token ?? '')).toBeNull()
    expect(await trailOf(open)).toEqual([
      ['operator.signed-in', { details: { factor: 'passkey' } }],
      ['operator.passkey-added', { after: { name: 'Key' } }],
      ['operator.passkey-added', { after: { name: 'Key' } }],
      ['operator.passkey-renamed', { before: { name: 'Key' }, after: { name: 'Spare' } }],
      ['operator.passkey-removed', { before: { name: 'Spare' } }],
      ['operator.signed-out', {}],
    ])
  })

  it('is made for the operator by name, beside those that are there, and by an answer to these options only', async () => {
    const made = await make()
    const { opened, device } = await add(await begin(made))
    const open = await callerOf(opened?.token ?? '')
    const options = await beginOperatorPasskey(bare.access, open)
    expect(options).toMatchObject({
      ...{ rp: { id: 'localhost', name: 'Countinghouse' }, timeout: 300_000, excludeCredentials: [{ id: device.id }] },
      user: { name: made.email, displayName: 'Sam Roy', id: Buffer.from(made.id).toString('base64url') },
    })
    const given = (challenge: string) => ({
      ...{ id: randomUUID(), name: 'Key', response: newAuthenticator().register({ challenge }) as never, network: '198.51.100.1' },
    })
    const refused = expect.objectContaining({ status: 400, fields: [{ field: 'passkey', message: 'is not accepted' }] })
    await expect(addOperatorPasskey(bare.access, open, given('AAAA'))).rejects.toEqual(refused)
    await addOperatorPasskey(bare.access, open, given(options.challenge))
    await expect(addOperatorPasskey(bare.access, open, given(options.challenge))).rejects.toEqual(refused)
    expect(await isKnownLoginNetwork(bare.access, `operator\0${made.email}`, '198.51.100.1')).toBe(false)
    await expect(verifyProof(bare.access, open, { passkey: device.assert({ challenge: 'AAAA' }) as never })).rejects.toEqual(refused)
  })

  it('is one of twenty at most', async () => {
    const { opened } = await add(await begin(await make()))
    const open = await callerOf(opened?.token ?? '')
    const begun = await beginOperatorPasskey(bare.access, open)
    const holder = { kind: 'operator', instanceId: SYSTEM_INSTANCE_ID, id: open.operatorId } as const
    for (let count = 1; count < 20; count += 1) {
      const added = {
        id: randomUUID(),
        name: 'Key',
        credentialId: randomBytes(32),
        publicKey: randomBytes(77),
        signCount: 0,
        transports: [],
      }
      await insertPasskey(bare.database, holder, added, bare.access.now())
    }
    const full = failsWith(409, 'There are 20 passkeys already; remove one first.')
    await expect(beginOperatorPasskey(bare.access, open)).rejects.toEqual(full)
    const given = { id: randomUUID(), name: 'Key', response: newAuthenticator().register(begun) as never, network: NETWORK }
    await expect(addOperatorPasskey(bare.access, open, given)).rejects.toEqual(full)
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

  it('names the operator, and is stored under the kind of its hash, by which later releases find it', async () => {
    const made = await make()
    const signed = await signIn(bare.access, made.email, PASSWORD, NETWORK)
    expect(signed).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), step: 'setup', name: 'Sam Roy' })
    const { rows } = await bare.database.query<{ hash: Buffer }>(
      'select token_hash as hash from operator_sessions where operator_id = $1',
      [made.id],
    )
    expect(rows).toEqual([{ hash: Buffer.from(hashSecret(bare.access, 'operator session', signed.token)) }])
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
    hashing.hash = async (password) => {
      await bare.database.query('delete from operators where id = $1', [made.id])
      return await hash(password)
    }
    await setOperatorPassword(bare.database, made.id, other)
    await expect(signIn(bare.access, made.email, PASSWORD, NETWORK)).rejects.toEqual(wrong)
    Object.assign(hashing, { hash, isOutdated })
  })
})
