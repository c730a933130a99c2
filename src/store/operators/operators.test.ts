import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { createInstance } from '../access/instances.ts'
import {
  addDeleted,
  addRevocations,
  addUnrevoked,
  completeErasure,
  findErasure,
  insertErasure,
  isBeingErased,
  listErasures,
  noteUnreached,
  type UnreachedDestination,
} from './erasures.ts'
import { cancelOperatorLinks, consumeOperatorLink, createOperatorLink, findOperatorLink } from './operator-links.ts'
import {
  countOperatorTry,
  createOperatorSession,
  deleteOldOperatorSessions,
  endOperatorSession,
  endSessionsOfOperator,
  findOperatorSession,
  noteOperatorProof,
  openOperatorSession,
  touchOperatorSession,
} from './operator-sessions.ts'
import {
  clearOperatorTwoStep,
  confirmOperatorTwoStep,
  consumeOperatorCode,
  consumeOperatorCounter,
  findOperatorTwoStep,
  replaceOperatorCodes,
  startOperatorTwoStep,
} from './operator-two-steps.ts'
import {
  deleteOperator,
  findLoginOperator,
  findOperator,
  insertOperator,
  listOperators,
  lockOtherOperators,
  renewOperatorHash,
  setOperatorPassword,
} from './operators.ts'
import { deleteSuspension, insertSuspension, isSuspended } from './suspensions.ts'

const AT = new Date('2026-11-20T12:00:00Z')
const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)

const test = databaseForTests()
let [operatorId, email] = ['', '']

async function addOperator(minutes = 0): Promise<string> {
  const id = randomUUID()
  await insertOperator(test.database, { id, email: `${id}@maple.example`, name: 'Avery' }, later(minutes))
  return id
}

beforeEach(async () => {
  await test.database.query('delete from operators')
  operatorId = await addOperator()
  email = `${operatorId}@maple.example`
})

describe('an operator', () => {
  it('has an address of its own, and no password until one is set', async () => {
    const { database } = test
    expect(await insertOperator(database, { id: randomUUID(), email, name: 'Blake' }, AT)).toBe(false)
    expect(await findLoginOperator(database, email)).toMatchObject({
      id: operatorId,
      hasPassword: false,
      twoStep: false,
      passwordHash: null,
    })
    await setOperatorPassword(database, operatorId, 'first')
    expect(await findLoginOperator(database, email)).toMatchObject({ hasPassword: true, passwordHash: 'first' })
    expect([
      await renewOperatorHash(database, operatorId, 'first', 'second'),
      await renewOperatorHash(database, operatorId, 'first', 'third'),
    ]).toEqual([true, false])
    expect([await findOperator(database, randomUUID()), await findLoginOperator(database, 'nobody@maple.example')]).toEqual([null, null])
  })

  it('is the last one unless another can sign in', async () => {
    const { database } = test
    const second = await addOperator(-1)
    expect((await listOperators(database)).map(({ id }) => id)).toEqual([second, operatorId])
    expect(await lockOtherOperators(database, operatorId)).toBe(false)
    await setOperatorPassword(database, second, 'hash')
    expect([await lockOtherOperators(database, operatorId), await lockOtherOperators(database, second)]).toEqual([true, false])
    expect([await deleteOperator(database, second), await deleteOperator(database, second)]).toEqual([true, false])
  })

  it('has a link that serves once, in time, unless it is cancelled', async () => {
    const { database } = test
    const [first, second] = [randomBytes(32), randomBytes(32)]
    for (const tokenHash of [first, second])
      await createOperatorLink(database, { operatorId, resetsTwoStep: true, tokenHash, expiresAt: later(10) })
    const link = { operatorId, resetsTwoStep: true }
    expect([await findOperatorLink(database, [randomBytes(32), first], AT), await findOperatorLink(database, [first], later(10))]).toEqual([
      link,
      null,
    ])
    expect(await consumeOperatorLink(database, [first], later(10))).toBe(false)
    expect([await consumeOperatorLink(database, [first], AT), await consumeOperatorLink(database, [first], AT)]).toEqual([true, false])
    expect(await findOperatorLink(database, [first], AT)).toBe(null)
    await cancelOperatorLinks(database, randomUUID(), AT)
    expect(await findOperatorLink(database, [second], AT)).toEqual(link)
    await cancelOperatorLinks(database, operatorId, AT)
    expect(await findOperatorLink(database, [second], AT)).toBe(null)
  })
})

describe('a session of an operator', () => {
  async function addSession(): Promise<{ id: string; tokenHash: Buffer }> {
    const session = { id: randomUUID(), operatorId, passwordHash: 'first', tokenHash: randomBytes(32), at: AT, expiresAt: later(10) }
    await setOperatorPassword(test.database, operatorId, 'first')
    expect(await createOperatorSession(test.database, session)).toBe(true)
    return session
  }
  const find = (tokenHash: Uint8Array) => findOperatorSession(test.database, [randomBytes(32), tokenHash])

  it('needs the password that the operator still has', async () => {
    const { id, tokenHash } = await addSession()
    expect(await find(tokenHash)).toMatchObject({ id, operatorId, operatorName: 'Avery', email, step: 'setup', provenAt: null })
    expect(await find(randomBytes(32))).toBe(null)
    const session = { id: randomUUID(), operatorId, tokenHash: randomBytes(32), at: AT, expiresAt: later(10) }
    expect(await createOperatorSession(test.database, { ...session, passwordHash: 'other' })).toBe(false)
    expect(await createOperatorSession(test.database, { ...session, operatorId: randomUUID(), passwordHash: 'first' })).toBe(false)
  })

  it('opens once, under another token, and then counts as a proof', async () => {
    const { database } = test
    const { id, tokenHash } = await addSession()
    const opened = randomBytes(32)
    const open = (hash: Uint8Array) => openOperatorSession(database, id, { tokenHash: hash, at: later(1), expiresAt: later(60) })
    expect([await countOperatorTry(database, id), await countOperatorTry(database, id)]).toEqual([1, 2])
    expect(await countOperatorTry(database, randomUUID())).toBe(Number.POSITIVE_INFINITY)
    expect([await open(opened), await open(randomBytes(32)), await find(tokenHash)]).toEqual([true, false, null])
    expect(await find(opened)).toMatchObject({ step: 'open', provenAt: later(1), lastUsedAt: later(1), expiresAt: later(60) })
    expect([await noteOperatorProof(database, id, later(2)), await noteOperatorProof(database, randomUUID(), later(2))]).toEqual([
      true,
      false,
    ])
    await touchOperatorSession(database, id, later(3))
    expect(await find(opened)).toMatchObject({ provenAt: later(2), lastUsedAt: later(3) })
  })

  it('ends alone, with the others of its operator, or when it has expired', async () => {
    const { database } = test
    const [first, second, third] = [await addSession(), await addSession(), await addSession()]
    const left = async () =>
      (await Promise.all([first, second, third].map(({ tokenHash }) => find(tokenHash)))).map((found) => found !== null)
    await endSessionsOfOperator(database, randomUUID())
    await endOperatorSession(database, first.id)
    expect(await left()).toEqual([false, true, true])
    await endSessionsOfOperator(database, operatorId, second.id)
    expect(await left()).toEqual([false, true, false])
    await createOperatorLink(database, { operatorId, resetsTwoStep: false, tokenHash: first.tokenHash, expiresAt: later(10) })
    await deleteOldOperatorSessions(database, later(10))
    expect([await left(), (await database.query('select from operator_links')).rowCount]).toEqual([[false, true, false], 1])
    await deleteOldOperatorSessions(database, later(11))
    expect([await left(), (await database.query('select from operator_links')).rowCount]).toEqual([[false, false, false], 0])
    await addSession()
    await endSessionsOfOperator(database, operatorId)
    expect((await database.query('select from operator_sessions')).rowCount).toBe(0)
  })

  it('asks for the second factor that the operator has', async () => {
    const { database } = test
    const { tokenHash } = await addSession()
    expect(await findOperatorTwoStep(database, operatorId)).toBe(null)
    expect([
      await startOperatorTwoStep(database, operatorId, Buffer.of(1), AT),
      await startOperatorTwoStep(database, operatorId, Buffer.of(2), later(1)),
    ]).toEqual([true, true])
    const confirm = (startedAt: Date) => confirmOperatorTwoStep(database, operatorId, startedAt, 7, later(2))
    expect([await confirm(AT), await confirm(later(1)), await confirm(later(1))]).toEqual([false, true, false])
    expect(await startOperatorTwoStep(database, operatorId, Buffer.of(3), later(3))).toBe(false)
    expect(await findOperatorTwoStep(database, operatorId)).toEqual({
      sealedSecret: Buffer.of(2),
      startedAt: later(1),
      confirmedAt: later(2),
    })
    expect([(await find(tokenHash))?.step, (await findOperator(database, operatorId))?.twoStep]).toEqual(['second', true])
    const codes = [randomBytes(32), randomBytes(32)]
    await replaceOperatorCodes(database, operatorId, codes.slice(0, 1))
    await replaceOperatorCodes(database, operatorId, codes.slice(1))
    const results: boolean[] = []
    for (const counter of [7, 8, 8]) results.push(await consumeOperatorCounter(database, operatorId, counter))
    for (const code of [codes[0], codes[1], codes[1]]) results.push(await consumeOperatorCode(database, operatorId, code ? [code] : [], AT))
    expect(results).toEqual([false, true, false, false, true, false])
    await replaceOperatorCodes(database, operatorId, codes)
    await clearOperatorTwoStep(database, operatorId)
    expect([await findOperatorTwoStep(database, operatorId), await consumeOperatorCode(database, operatorId, codes, AT)]).toEqual([
      null,
      false,
    ])
    expect((await find(tokenHash))?.step).toBe('setup')
  })
})

describe('an instance', () => {
  let instanceId = ''
  beforeEach(async () => {
    instanceId = randomUUID()
    await createInstance(test.database, { id: instanceId, name: 'Maple Lending' })
  })

  it('is suspended once, until it is no longer', async () => {
    const { database } = test
    expect([await isSuspended(database, instanceId), await deleteSuspension(database, instanceId)]).toEqual([false, false])
    expect([await insertSuspension(database, instanceId, 'unpaid'), await insertSuspension(database, instanceId, 'other')]).toEqual([
      true,
      false,
    ])
    expect([await isSuspended(database, instanceId), await isSuspended(database, randomUUID())]).toEqual([true, false])
    expect([await deleteSuspension(database, instanceId), await isSuspended(database, instanceId)]).toEqual([true, false])
  })

  it('is erased once, and the erasure counts what was deleted and revoked until it is complete', async () => {
    const { database } = test
    const erasure = { id: randomUUID(), instanceId, name: 'Maple Lending', kind: 'live' }
    await database.query(`insert into jobs (instance_id, kind, key, run_at) values ($1, 'revoke', 'a', now()), ($1, 'sync', 'b', now())`, [
      instanceId,
    ])
    expect([await isBeingErased(database, instanceId), await findErasure(database, erasure.id)]).toEqual([false, null])
    expect([await insertErasure(database, erasure), await insertErasure(database, { ...erasure, id: randomUUID() })]).toEqual([true, false])
    expect([await isBeingErased(database, instanceId), await isBeingErased(database, randomUUID())]).toEqual([true, false])
    await addRevocations(database, erasure.id, { queued: 3, unreadable: 1 })
    await addUnrevoked(database, instanceId, 2)
    await addUnrevoked(database, randomUUID(), 9)
    for (const [table, count] of [
      ['companies', 2],
      ['companies', 3],
      ['users', 1],
    ] as const)
      await addDeleted(database, erasure.id, table, count)
    const unreached: UnreachedDestination[] = [{ name: 'Lake', kind: 's3', place: 's3://lake', files: 3, rows: false, reason: null }]
    await noteUnreached(database, erasure.id, async () => unreached)
    await noteUnreached(database, erasure.id, () => Promise.reject(new Error('asked again')))
    const counted = { ...erasure, revocations: 4, unrevoked: 3, deleted: { companies: 5, users: 1 }, unreached }
    expect(await findErasure(database, erasure.id)).toMatchObject({ ...counted, completedAt: null, receipt: null })
    await completeErasure(database, erasure.id, 'receipt', AT)
    await completeErasure(database, erasure.id, 'another', later(1))
    await addUnrevoked(database, instanceId, 1)
    expect(await findErasure(database, erasure.id)).toMatchObject({ ...counted, completedAt: AT, receipt: 'receipt' })
    const second = { ...erasure, id: randomUUID(), instanceId: randomUUID() }
    await insertErasure(database, second)
    const page = async (limit: number, offset: number) => {
      const { erasures, total } = await listErasures(database, limit, offset)
      return [erasures.map(({ id }) => id), total]
    }
    expect([await page(5, 0), await page(1, 0), await page(1, 1)]).toEqual([
      [[second.id, erasure.id], 2],
      [[second.id], 2],
      [[erasure.id], 2],
    ])
  })
})
