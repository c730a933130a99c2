import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { claimKey, deleteOldKeys, type KeyClaim, releaseKey, renewKey, saveAnswer } from '../../src/store/access/idempotency-keys.ts'
import {
  deleteIdentityProvider,
  endProviderRequirement,
  findIdentityProvider,
  type IdentityProvider,
  isProviderRequired,
  listSignInOptions,
  lockIdentityProvider,
  lockProviderRequirement,
  noteTry,
  saveIdentityProvider,
} from '../../src/store/access/identity-providers.ts'
import {
  createInstance,
  findInstance,
  findInstanceKind,
  findInstanceState,
  isTestInstance,
  listInstancesByName,
  renameInstance,
} from '../../src/store/access/instances.ts'
import {
  findSignInRules,
  lacksTwoStep,
  listWithoutTwoStep,
  lockTwoStepRule,
  setTwoStepRequired,
} from '../../src/store/access/sign-in-rules.ts'
import { confirmTwoStep, startTwoStep } from '../../src/store/access/two-step.ts'
import { deleteSuspension, insertSuspension } from '../../src/store/operators/suspensions.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { AT, emailOf, later, storeMember } from './stored-members.ts'

const test = databaseForTests()
let [instanceId, otherId, name] = ['', '', '']

beforeEach(async () => {
  instanceId = randomUUID()
  otherId = randomUUID()
  name = `Maple ${instanceId}`
  await createInstance(test.database, { id: instanceId, name })
  await createInstance(test.database, { id: otherId, name: name.toUpperCase(), kind: 'test' })
})

describe('an instance', () => {
  it('is live unless it is made for tests, and is not made twice', async () => {
    const { database } = test
    await createInstance(database, { id: instanceId, name: 'Again', kind: 'test' })
    expect([await findInstance(database, instanceId), await findInstance(database, randomUUID())]).toEqual([{ id: instanceId, name }, null])
    const kinds = [instanceId, otherId, randomUUID()].map((id) =>
      Promise.all([findInstanceKind(database, id), isTestInstance(database, id)]),
    )
    expect(await Promise.all(kinds)).toEqual([
      ['live', false],
      ['test', true],
      [null, false],
    ])
  })

  it('is found by its very name, or in any letter case if nothing has that very name', async () => {
    const find = async (text: string) => (await listInstancesByName(test.database, text)).map(({ id }) => id)
    expect([await find(name), await find(name.toUpperCase())]).toEqual([[instanceId], [otherId]])
    expect(await find(name.toLowerCase())).toEqual([instanceId, otherId].sort())
    expect([await renameInstance(test.database, instanceId, 'Birch'), await renameInstance(test.database, randomUUID(), 'Birch')]).toEqual([
      true,
      false,
    ])
    expect(await find(name.toLowerCase())).toEqual([otherId])
  })

  it('shows since when and why it is suspended', async () => {
    const { database } = test
    const state = { id: instanceId, name, kind: 'live', requiresTwoStep: false, createdOn: expect.any(Date) }
    expect(await findInstanceState(database, instanceId)).toEqual({ ...state, suspension: null })
    await insertSuspension(database, instanceId, 'unpaid')
    expect(await findInstanceState(database, instanceId)).toEqual({ ...state, suspension: { since: expect.any(Date), reason: 'unpaid' } })
    await deleteSuspension(database, instanceId)
    expect([(await findInstanceState(database, instanceId))?.suspension, await findInstanceState(database, randomUUID())]).toEqual([
      null,
      null,
    ])
  })
})

describe('the rule that members need a second step', () => {
  it('names those who have none, oldest first, and asks nothing of another instance', async () => {
    const { database } = test
    const [second, first, withStep] = [
      await storeMember(test.database, instanceId, { at: later(1) }),
      await storeMember(test.database, instanceId),
      await storeMember(test.database, instanceId),
    ]
    await startTwoStep(database, instanceId, withStep, Buffer.of(1), AT)
    await confirmTwoStep(database, instanceId, withStep, AT, later(1))
    expect(await findSignInRules(database, instanceId)).toEqual({ requiresTwoStep: false, membersWithoutTwoStep: 2 })
    expect([await lockTwoStepRule(database, instanceId), await lacksTwoStep(database, instanceId, first)]).toEqual([false, false])
    await setTwoStepRequired(database, instanceId, true, AT)
    expect(await findSignInRules(database, instanceId)).toEqual({ requiresTwoStep: true, membersWithoutTwoStep: 2 })
    expect([
      await lockTwoStepRule(database, instanceId),
      await lockTwoStepRule(database, otherId),
      await lockTwoStepRule(database, randomUUID()),
    ]).toEqual([true, false, false])
    const lacks = [first, withStep, randomUUID()].map((id) => lacksTwoStep(database, instanceId, id))
    expect(await Promise.all(lacks)).toEqual([true, false, false])
    expect([await listWithoutTwoStep(database, instanceId, 9), await listWithoutTwoStep(database, instanceId, 1)]).toEqual([
      [first, second],
      [first],
    ])
    await setTwoStepRequired(database, instanceId, false, AT)
    expect([await lockTwoStepRule(database, instanceId), await lacksTwoStep(database, instanceId, first)]).toEqual([false, false])
    expect(await findSignInRules(database, randomUUID())).toEqual({ requiresTwoStep: false, membersWithoutTwoStep: 0 })
  })
})

describe('the identity provider of an instance', () => {
  const provider = (parts: Partial<IdentityProvider> = {}): IdentityProvider => ({
    ...{ instanceId, id: randomUUID(), issuer: 'https://login.maple.example', clientId: 'ch', scopes: ['openid', 'email'] },
    ...{ parameters: { prompt: 'login' }, groupsClaim: 'groups', emailDomains: [`${instanceId}.example`], trustsEmails: true },
    ...{ createsMembers: true, defaultRole: 'viewer', acceptedAcr: ['gold'], acceptedAmr: ['otp'], isRequired: false, triedAt: null },
    ...{ version: randomUUID(), updatedAt: AT, sealedSecret: Buffer.of(1) },
    ...parts,
  })

  it('is stored as it is given, keeps its id when it is replaced, and is deleted once', async () => {
    const { database } = test
    const [first, second] = [provider(), provider({ clientId: 'other', isRequired: true, defaultRole: null, sealedSecret: Buffer.of(2) })]
    expect([await findIdentityProvider(database, instanceId), await lockIdentityProvider(database, instanceId)]).toEqual([null, null])
    await saveIdentityProvider(database, first)
    expect(await findIdentityProvider(database, instanceId)).toEqual(first)
    await saveIdentityProvider(database, second)
    expect(await lockIdentityProvider(database, instanceId)).toEqual({ ...second, id: first.id })
    expect(await findIdentityProvider(database, otherId)).toBe(null)
    expect([await deleteIdentityProvider(database, otherId), await deleteIdentityProvider(database, instanceId)]).toEqual([false, true])
    expect(await deleteIdentityProvider(database, instanceId)).toBe(false)
  })

  it('is required until passwords are allowed again, and never without settings', async () => {
    const { database } = test
    const isRequired = async () => [await isProviderRequired(database, instanceId), await lockProviderRequirement(database, instanceId)]
    expect([await isRequired(), await endProviderRequirement(database, instanceId, AT)]).toEqual([[false, false], false])
    await saveIdentityProvider(database, provider())
    expect([await isRequired(), await endProviderRequirement(database, instanceId, AT)]).toEqual([[false, false], false])
    await saveIdentityProvider(database, provider({ isRequired: true }))
    expect(await isRequired()).toEqual([true, true])
    expect([await endProviderRequirement(database, instanceId, later(1)), await isRequired()]).toEqual([true, [false, false]])
  })

  it('is offered by id, by name, to its member, and by domain once an administrator has signed in with these settings', async () => {
    const { database } = test
    const settings = provider()
    await saveIdentityProvider(database, settings)
    const member = await storeMember(test.database, instanceId)
    const option = { instanceId, instanceName: name, issuer: settings.issuer, isRequired: false }
    const domain = { domain: `${instanceId}.example` }
    for (const by of [{ instanceId }, { name: name.toLowerCase() }, { email: emailOf(member) }])
      expect(await listSignInOptions(database, by)).toEqual([option])
    for (const by of [{ instanceId: otherId }, { name: 'nobody' }, { email: 'nobody@maple.example' }, domain])
      expect(await listSignInOptions(database, by)).toEqual([])
    await noteTry(database, instanceId, randomUUID(), later(1))
    expect(await listSignInOptions(database, domain), 'tried with other settings').toEqual([])
    for (const minutes of [1, 2]) await noteTry(database, instanceId, settings.version, later(minutes))
    expect(await listSignInOptions(database, domain)).toEqual([option])
    expect(await listSignInOptions(database, { domain: 'other.example' })).toEqual([])
    expect((await findIdentityProvider(database, instanceId))?.triedAt).toEqual(later(1))
  })
})

describe('an idempotency key', () => {
  const [key, request] = [randomBytes(32), randomBytes(32)]
  const wanted = (parts: { keyHashes?: Uint8Array[]; requestHashes?: Uint8Array[]; of?: string } = {}) =>
    claimKey(test.database, {
      ...{ instanceId: parts.of ?? instanceId, id: randomUUID() },
      ...{ keyHashes: parts.keyHashes ?? [key], requestHashes: parts.requestHashes ?? [request] },
    })
  async function claim(parts: Parameters<typeof wanted>[0] = {}): Promise<KeyClaim> {
    const result = await wanted(parts)
    if (!('claim' in result)) throw new Error('the key is taken')
    return result.claim
  }
  const found = async (parts: Parameters<typeof wanted>[0] = {}) => {
    const result = await wanted(parts)
    return 'request' in result ? result.request : null
  }

  it('belongs to the first request with it in its instance, by each of its possible hashes', async () => {
    const { id, attempt } = await claim()
    expect(attempt).toBe(1)
    expect(await found()).toMatchObject({ id, isSame: true, answer: null })
    expect(await found({ keyHashes: [randomBytes(32), key], requestHashes: [randomBytes(32), request] })).toMatchObject({
      id,
      isSame: true,
    })
    expect(await found({ requestHashes: [randomBytes(32)] })).toMatchObject({ id, isSame: false, answer: null })
    expect((await claim({ of: otherId })).attempt).toBe(1)
  })

  it('that was released is claimed by the same request again, and the older attempt stores nothing then', async () => {
    const first = await claim()
    await releaseKey(test.database, first)
    expect(await found({ requestHashes: [randomBytes(32)] })).toMatchObject({ isSame: false })
    const second = await claim()
    expect(second).toEqual({ ...first, attempt: 2 })
    const answer = { status: 201, headers: { location: '/1' }, sealed: Buffer.of(1) }
    await saveAnswer(test.database, first, answer)
    await releaseKey(test.database, first)
    expect(await found()).toMatchObject({ answer: null })
    await renewKey(test.database, second)
    await saveAnswer(test.database, second, answer)
    await saveAnswer(test.database, second, { ...answer, status: 500 })
    await releaseKey(test.database, second)
    expect(await found()).toMatchObject({ id: first.id, isSame: true, answer })
  })

  it('is forgotten after a day', async () => {
    const { id } = await claim()
    const age = (minutes: number) =>
      test.database.query('update idempotency_keys set created_at = now() - make_interval(mins => $2) where id = $1', [id, minutes])
    await age(24 * 60 - 1)
    await deleteOldKeys(test.database)
    expect(await found()).toMatchObject({ id })
    await age(24 * 60 + 1)
    expect((await claim()).id).not.toBe(id)
    await test.database.query(`update idempotency_keys set created_at = now() - interval '25 hours' where instance_id = $1`, [instanceId])
    await deleteOldKeys(test.database)
    expect((await test.database.query('select from idempotency_keys where instance_id = $1', [instanceId])).rowCount).toBe(0)
  })
})
