import { randomUUID } from 'node:crypto'
import { Secret } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { bareAccess } from '../../../test/harness/app/bare-access.ts'
import { bareOperators, failsWith, MANY, MINUTE, NETWORK, PASSWORD } from '../../../test/harness/app/bare-operators.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { newAuthenticator } from '../../../test/sign-in/authenticator.ts'
import { listAudit } from '../../store/access/audit.ts'
import { SYSTEM_INSTANCE_ID } from '../../sync/context/system-instance.ts'
import { hashSecret } from '../access/access.ts'
import { isKnownLoginNetwork } from '../access/login/login-rate-limit.ts'
import { proveOperator } from './prove.ts'
import { openSession } from './sign-in.ts'
import { beginSetup, confirmSetup, lockForSetup, proveSecondStep, renewCodes, verifyProof } from './two-step.ts'

const bare = openForTests(() => bareAccess({ login: { ...MANY, perAccount: 5 } }))
const lenient = openForTests(() => bareAccess({ login: MANY }))
const { make, begin, codeOf, nextCode, withApp, refusals } = bareOperators(bare)
const ofLenient = bareOperators(lenient)

const WRONG = failsWith(401, 'The code is wrong.')

describe('the first second factor of an operator', () => {
  it('is an app whose secret names the operator, confirmed within ten minutes by a code of its own', async () => {
    const made = await make()
    const caller = await begin(made)
    expect(caller).toEqual({
      ...{ id: expect.any(String), operatorId: made.id, operatorName: 'Sam Roy', email: made.email },
      ...{ step: 'setup', provenAt: null },
    })
    const { secret, otpauthUrl } = await beginSetup(bare.access, caller)
    expect(decodeURIComponent(otpauthUrl)).toContain(`otpauth://totp/Countinghouse operator:${made.email}?`)
    await expect(confirmSetup(bare.access, caller, '000000', NETWORK)).rejects.toEqual(
      expect.objectContaining({ status: 400, fields: [{ field: 'code', message: 'is wrong' }] }),
    )
    bare.moveClock(10 * MINUTE)
    const opened = await confirmSetup(bare.access, { ...caller }, codeOf(secret), NETWORK)
    expect(opened).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), step: 'open', name: 'Sam Roy', recoveryCodes: expect.any(Array) })
    expect(new Set(opened.recoveryCodes).size).toBe(10)
    expect(await isKnownLoginNetwork(bare.access, `operator\0${made.email}`, NETWORK)).toBe(true)
    await expect(beginSetup(bare.access, caller)).rejects.toEqual(failsWith(409, 'Two-step sign-in is on already.'))
    await expect(confirmSetup(bare.access, caller, nextCode(secret), NETWORK)).rejects.toEqual(
      failsWith(409, 'Two-step sign-in is on already.'),
    )
  })

  it('is stored under the kinds by which later releases find it, and its secret sealed for its column', async () => {
    const { id, secret, recoveryCodes } = await withApp()
    const { rows } = await bare.database.query<{ sealed: Buffer }>('select two_step_secret as sealed from operators where id = $1', [id])
    const context = { instanceId: SYSTEM_INSTANCE_ID, table: 'operators', rowId: id, column: 'two_step_secret' }
    const opened = bare.access.sealer.open(context, rows[0]?.sealed ?? new Uint8Array())
    expect(Buffer.from(opened)).toEqual(Buffer.from(Secret.fromBase32(secret).buffer))
    const hashes = await bare.database.query<{ hash: Buffer }>(
      'select code_hash as hash from operator_recovery_codes where operator_id = $1',
      [id],
    )
    const wanted = recoveryCodes.map((code) => hashSecret(bare.access, 'operator recovery code', `${id}\0${code.replaceAll('-', '')}`))
    expect(hashes.rows.map(({ hash }) => hash.toString('hex')).toSorted()).toEqual(
      wanted.map((hash) => Buffer.from(hash).toString('hex')).toSorted(),
    )
    const entries = (await listAudit(bare.database, SYSTEM_INSTANCE_ID, 200)).filter(({ entry }) => entry.subject === `operator/${id}`)
    expect(entries.map(({ entry: { action, details } }) => [action, details]).toReversed()).toEqual([
      ['operator.two-step-begun', undefined],
      ['operator.signed-in', { factor: 'code' }],
      ['operator.two-step-enabled', undefined],
    ])
  })

  it('that took longer, or was never begun, is not confirmed', async () => {
    const caller = await begin(await make())
    const none = failsWith(409, 'No set-up of two-step sign-in is under way.')
    await expect(confirmSetup(bare.access, caller, '000000', NETWORK)).rejects.toEqual(none)
    const { secret } = await beginSetup(bare.access, caller)
    bare.moveClock(10 * MINUTE + 1)
    await expect(confirmSetup(bare.access, caller, codeOf(secret), NETWORK)).rejects.toEqual(none)
  })

  it('is not set up by a sign-in from before another did; a session that is open may add more', async () => {
    const { open } = await withApp()
    await expect(lockForSetup(bare.database, { ...open, step: 'setup' })).rejects.toEqual(failsWith(409))
    await lockForSetup(bare.database, open)
    await lockForSetup(bare.database, await begin(await make()))
    await lockForSetup(bare.database, { ...open, operatorId: randomUUID(), step: 'setup' })
  })
})

describe('the second step of an operator', () => {
  it('is a code, once; a wrong one is told, and leaves its reason', async () => {
    const made = await withApp()
    const [code, device] = [nextCode(made.secret), newAuthenticator()]
    const prove = async (proof: Parameters<typeof proveSecondStep>[2]) =>
      await proveSecondStep(bare.access, await begin(made), proof, NETWORK)
    expect(await prove({ code })).toEqual({ token: expect.any(String), step: 'open', name: 'Sam Roy' })
    await expect(prove({ code })).rejects.toEqual(WRONG)
    await expect(prove({ code: '000000' })).rejects.toEqual(WRONG)
    await expect(prove({ recoveryCode: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAAA' })).rejects.toEqual(WRONG)
    const passkey = device.assert({ challenge: 'AAAA' }) as never
    await expect(prove({ passkey })).rejects.toEqual(failsWith(401, 'The passkey is not accepted.'))
    expect(await refusals(made)).toEqual([{ reason: 'code' }, { reason: 'code' }, { reason: 'code' }, { reason: 'passkey' }])
    expect(await prove({ recoveryCode: made.recoveryCodes[0] ?? '' })).toMatchObject({ step: 'open' })
    await expect(prove({ recoveryCode: made.recoveryCodes[0] ?? '' })).rejects.toEqual(WRONG)
  })

  it('is no code of an app that was never confirmed, and none without an app', async () => {
    const made = await make()
    const caller = await begin(made)
    await expect(proveSecondStep(bare.access, caller, { code: '000000' }, NETWORK)).rejects.toEqual(WRONG)
    const { secret } = await beginSetup(bare.access, caller)
    await expect(proveSecondStep(bare.access, caller, { code: nextCode(secret) }, NETWORK)).rejects.toEqual(WRONG)
  })

  it('is tried five times in a sign-in, whatever the account may try', async () => {
    const made = await ofLenient.withApp()
    const caller = await ofLenient.begin(made)
    const prove = async (code: string) => await proveSecondStep(lenient.access, caller, { code }, NETWORK)
    for (let tries = 0; tries < 4; tries += 1) await expect(prove('000000')).rejects.toEqual(WRONG)
    expect(await prove(ofLenient.nextCode(made.secret))).toMatchObject({ step: 'open' })
    const another = await ofLenient.begin(made)
    for (let tries = 0; tries < 5; tries += 1)
      await expect(proveSecondStep(lenient.access, another, { code: '000000' }, NETWORK)).rejects.toEqual(WRONG)
    await expect(proveSecondStep(lenient.access, another, { code: ofLenient.nextCode(made.secret) }, NETWORK)).rejects.toEqual(
      failsWith(401, 'The sign-in has run out. Start again with the password.'),
    )
  })

  it('that is right forgets the wrong ones before it', async () => {
    const made = await withApp()
    for (let round = 0; round < 2; round += 1) {
      const caller = await begin(made)
      for (let tries = 0; tries < 4; tries += 1)
        await expect(proveSecondStep(bare.access, caller, { code: '000000' }, NETWORK)).rejects.toEqual(WRONG)
      expect(await proveSecondStep(bare.access, caller, { code: nextCode(made.secret) }, NETWORK)).toMatchObject({ step: 'open' })
    }
  })

  it('opens no session that is open or gone', async () => {
    const { open } = await withApp()
    const run = failsWith(401, 'The sign-in has run out. Start again with the password.')
    for (const caller of [open, { ...open, id: randomUUID() }])
      await expect(openSession(bare.access, bare.database, caller, 'code')).rejects.toEqual(run)
  })
})

describe('a proof of an operator', () => {
  it('is right, or names its field and leaves its reason', async () => {
    const made = await withApp()
    await verifyProof(bare.access, made.open, { code: nextCode(made.secret) })
    await verifyProof(bare.access, made.open, { recoveryCode: made.recoveryCodes[1] ?? '' })
    const refused = (field: string, message: string) => expect.objectContaining({ status: 400, fields: [{ field, message }] })
    await expect(verifyProof(bare.access, made.open, { code: '000000' })).rejects.toEqual(refused('code', 'is wrong'))
    const passkey = newAuthenticator().assert({ challenge: 'AAAA' }) as never
    await expect(verifyProof(bare.access, made.open, { passkey })).rejects.toEqual(refused('passkey', 'is not accepted'))
    expect(await refusals(made)).toEqual([{ reason: 'code' }, { reason: 'passkey' }])
  })

  it('asks for a second step, and for the password beside a code', async () => {
    const made = await withApp()
    const prove = async (password: string | null, code: string | null) =>
      await proveOperator(bare.access, made.open, { password, proof: code === null ? null : { code } })
    const refused = (field: string, message: string) => expect.objectContaining({ status: 400, fields: [{ field, message }] })
    await expect(prove(PASSWORD, null)).rejects.toEqual(refused('code', 'is required'))
    await expect(prove(null, nextCode(made.secret))).rejects.toEqual(refused('password', 'is required'))
    await expect(prove('wrong', nextCode(made.secret))).rejects.toEqual(refused('password', 'is wrong'))
    await prove(PASSWORD, nextCode(made.secret))
    // Forgets the two before it, so that four more are told as wrong.
    for (let tries = 0; tries < 4; tries += 1) await expect(prove(PASSWORD, '000000')).rejects.toEqual(refused('code', 'is wrong'))
    await prove(PASSWORD, nextCode(made.secret))
    const { provenAt } = (
      await bare.database.query<{ provenAt: Date }>('select proven_at as "provenAt" from operator_sessions where id = $1', [made.open.id])
    ).rows[0] ?? { provenAt: null }
    expect(provenAt).toEqual(bare.access.now())
  })

  it('renews the recovery codes, of which the former are void then', async () => {
    const made = await withApp()
    await expect(renewCodes(bare.access, made.open, { code: '000000' })).rejects.toEqual(failsWith(400))
    const codes = await renewCodes(bare.access, made.open, { code: nextCode(made.secret) })
    expect([codes.length, codes.some((code) => made.recoveryCodes.includes(code))]).toEqual([10, false])
    await expect(verifyProof(bare.access, made.open, { recoveryCode: made.recoveryCodes[2] ?? '' })).rejects.toEqual(failsWith(400))
    await verifyProof(bare.access, made.open, { recoveryCode: codes[0] ?? '' })
    for (let round = 0; round < 2; round += 1) {
      for (let tries = 0; tries < 3; tries += 1)
        await expect(renewCodes(bare.access, made.open, { code: '000000' })).rejects.toEqual(failsWith(400))
      await renewCodes(bare.access, made.open, { code: nextCode(made.secret) })
    }
  })
})
