import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAuthorization } from '../../../src/store/connections/authorizations.ts'
import { attachConsent, endConsent, recordConsent } from '../../../src/store/connections/consents.ts'
import {
  createHandOff,
  findConsentOfLink,
  findHandOff,
  findOpenHandOff,
  listConnectionsOfLink,
  type NewHandOff,
  noteHandOffDeclined,
  noteHandOffMail,
  revokeHandOffs,
} from '../../../src/store/connections/hand-offs.ts'
import { countFunnel, countOpened, countStep, findToday, LINK_STEPS } from '../../../src/store/connections/link-progress.ts'
import { findLinkById, findLinkByToken } from '../../../src/store/connections/links.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { setColumns, storeConnection, storeLink, storeTenants, type Tenants } from '../stored.ts'
import { newConsent } from './consents.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
})

const newHandOff = (parentId: string): NewHandOff => ({
  ...{ instanceId, parentId, linkId: randomUUID(), tokenHash: randomBytes(32), institutionId: 'bank-1', helper: Buffer.from('sealed') },
})
const create = (handOff: NewHandOff) => inTransaction(test.database, (db) => createHandOff(db, handOff))
const setLink = (id: string, columns: Record<string, string>) => setColumns(test.database, 'links', { instanceId, id }, columns)

describe('a hand-off', () => {
  it('is a link with the options of its parent, and takes the place of an earlier one', async () => {
    const { database } = test
    const parent = await storeLink(database, tenants, {
      applicationId: randomUUID(),
      purposeKey: 'loan',
      language: 'en',
      returnUrl: 'https://a.example/',
    })
    const [first, second] = [newHandOff(parent.id), { ...newHandOff(parent.id), institutionId: null }]
    const stored = await findLinkById(database, instanceId, parent.id)
    expect(await create(first)).toEqual({ made: true, expiresAt: stored?.expiresAt })
    expect(await create(first)).toEqual({ made: false, expiresAt: stored?.expiresAt })
    expect(await findLinkByToken(database, [first.tokenHash])).toEqual({
      ...{ ...stored, id: first.linkId, parentId: parent.id, language: null, returnUrl: null, usable: true },
    })
    const shown = {
      ...{
        linkId: first.linkId,
        institutionId: 'bank-1',
        helper: Buffer.from('sealed'),
        mailState: null,
        openedAt: null,
        declinedAt: null,
      },
      ...{ expiresAt: stored?.expiresAt, isAtSource: false },
    }
    expect([await findOpenHandOff(database, instanceId, parent.id), await findHandOff(database, instanceId, first.linkId)]).toEqual([
      shown,
      shown,
    ])
    expect([await findOpenHandOff(database, otherId, parent.id), await findHandOff(database, otherId, first.linkId)]).toEqual([null, null])
    expect(await create(second)).toMatchObject({ made: true })
    expect(await findOpenHandOff(database, instanceId, parent.id)).toEqual({ ...shown, linkId: second.linkId, institutionId: null })
    expect([(await findLinkById(database, instanceId, first.linkId))?.revokedAt, await create(first)]).toEqual([expect.any(Date), null])
  })

  it.each<[string, Record<string, string>]>([
    ['expired', { expires_at: 'now()' }],
    ['completed', { completed_at: 'now()' }],
    ['revoked', { revoked_at: 'now()' }],
  ])('is not made from a link that is %s, and not from another hand-off', async (_what, columns) => {
    const { database } = test
    const parent = await storeLink(database, tenants)
    const child = newHandOff(parent.id)
    await create(child)
    expect(await create(newHandOff(child.linkId))).toBe(null)
    await setLink(parent.id, columns)
    expect([await create(newHandOff(parent.id)), await create(newHandOff(randomUUID()))]).toEqual([null, null])
  })

  it('is the twentieth at most', async () => {
    const parent = await storeLink(test.database, tenants)
    const made: unknown[] = []
    for (let n = 0; n < 21; n += 1) made.push(await create(newHandOff(parent.id)))
    expect(made.slice(0, 20)).toEqual(Array(20).fill({ made: true, expiresAt: expect.any(Date) }))
    expect(made[20]).toBe('full')
    expect(await findOpenHandOff(test.database, instanceId, parent.id)).not.toBe(null)
  })

  it('is revoked with the others that are open, and counted', async () => {
    const { database } = test
    const parent = await storeLink(database, tenants)
    const [done, open] = [newHandOff(parent.id), newHandOff(parent.id)]
    await create(done)
    await setLink(done.linkId, { completed_at: 'now()' })
    await create(open)
    expect([await revokeHandOffs(database, otherId, parent.id), await revokeHandOffs(database, instanceId, open.linkId)]).toEqual([0, 0])
    expect([await revokeHandOffs(database, instanceId, parent.id), await revokeHandOffs(database, instanceId, parent.id)]).toEqual([1, 0])
    expect((await findLinkById(database, instanceId, done.linkId))?.revokedAt).toBe(null)
    expect(await findOpenHandOff(database, instanceId, parent.id)).toBe(null)
    expect(await findHandOff(database, instanceId, open.linkId)).toMatchObject({ linkId: open.linkId })
  })

  it.each<[string, Record<string, string>]>([
    ['completed', { completed_at: 'now()' }],
    ['expired', { expires_at: 'now()' }],
  ])('that is %s is not open', async (_what, columns) => {
    const parent = await storeLink(test.database, tenants)
    const handOff = newHandOff(parent.id)
    await create(handOff)
    await setLink(handOff.linkId, columns)
    expect(await findOpenHandOff(test.database, instanceId, parent.id)).toBe(null)
  })

  it('says whether its mail was sent, it was declined, or its helper is at the source', async () => {
    const { database } = test
    const parent = await storeLink(database, tenants)
    const handOff = newHandOff(parent.id)
    await create(handOff)
    const { linkId } = handOff
    const state = () => findHandOff(database, instanceId, linkId)
    await noteHandOffDeclined(database, otherId, linkId, true)
    await noteHandOffDeclined(database, instanceId, linkId, false)
    expect((await state())?.declinedAt).toBe(null)
    await noteHandOffDeclined(database, instanceId, linkId, true)
    const declinedAt = (await state())?.declinedAt
    await noteHandOffDeclined(database, instanceId, linkId, true)
    expect([declinedAt, (await state())?.declinedAt]).toEqual([expect.any(Date), declinedAt])
    await noteHandOffDeclined(database, instanceId, linkId, false)
    expect((await state())?.declinedAt).toBe(null)
    const { id: connectionId } = await storeConnection(database, tenants)
    await createAuthorization(database, {
      ...{ instanceId, id: randomUUID(), linkId, connectionId, memo: null, memoMatch: null, sourceKeysId: null },
      ...{ stateHash: randomBytes(32), lifeMinutes: 30 },
    })
    expect((await state())?.isAtSource).toBe(true)
    await database.query(`update authorizations set expires_at = now() where link_id = $1`, [linkId])
    expect((await state())?.isAtSource).toBe(false)
    const mailId = randomUUID()
    const noteMail = async (of: string) => {
      await noteHandOffMail(database, of, linkId, mailId)
      return (await database.query('select mail_id as id from hand_offs where link_id = $1', [linkId])).rows
    }
    expect([await noteMail(otherId), await noteMail(instanceId)]).toEqual([[{ id: null }], [{ id: mailId }]])
  })
})

describe('what came of a link', () => {
  it('are its connections, and the newest consent that has not ended', async () => {
    const { database } = test
    const link = await storeLink(database, tenants)
    const ofLink = () => findConsentOfLink(database, instanceId, link.id)
    const consents = [0, 1, 2].map((minutes) => newConsent({ ...tenants, linkId: link.id, givenAt: minutesAfter(minutes) }))
    for (const consent of consents) await recordConsent(database, consent)
    expect([await ofLink(), await listConnectionsOfLink(database, instanceId, link.id)]).toEqual([null, []])
    const [one, two, unused] = consents
    if (!one || !two || !unused) throw new Error('no consents')
    const { id: connectionId } = await storeConnection(database, tenants)
    for (const { id } of [one, two]) await attachConsent(database, instanceId, id, connectionId)
    expect(await listConnectionsOfLink(database, instanceId, link.id)).toEqual([connectionId])
    expect(await ofLink()).toEqual({ id: two.id, givenAt: two.givenAt, endsAt: two.expiresAt, texts: two.texts })
    await endConsent(database, instanceId, two.id, { endedAt: AT, how: 'withdrawn' })
    expect((await ofLink())?.id).toBe(one.id)
    expect([await findConsentOfLink(database, otherId, link.id), await listConnectionsOfLink(database, otherId, link.id)]).toEqual([
      null,
      [],
    ])
  })

  it('is counted by day, source, language and frame, each step once', async () => {
    const { database } = test
    const steps = (...reached: string[]) => Object.fromEntries(LINK_STEPS.map((step) => [step, reached.includes(step) ? 1 : 0]))
    const open = async (more: { language?: 'en' | 'fr-CA'; isFramed?: boolean } = {}) => {
      const link = await storeLink(database, tenants)
      await countOpened(database, { instanceId, linkId: link.id, source: 'quickbooks', language: 'en', isFramed: false, ...more })
      return link
    }
    const [whole, framed, french, early, uncounted] = [
      await open(),
      await open({ isFramed: true }),
      await open({ language: 'fr-CA' }),
      await open(),
      await storeLink(database, tenants),
    ]
    await countOpened(database, { instanceId, linkId: whole.id, source: 'plaid', language: 'fr-CA', isFramed: true })
    for (const [id, day] of [
      [whole.id, '2026-11-20 23:59:59.9'],
      [framed.id, '2026-11-20 00:00:00'],
      [french.id, '2026-11-20 12:00:00'],
      [early.id, '2026-11-19 23:59:59.9'],
    ])
      await database.query('update link_progress set opened_at = $2 where link_id = $1', [id, `${day}+00`])
    const handOff = newHandOff(framed.id)
    await create(handOff)
    await countStep(database, whole, 'declined')
    await countStep(database, whole, 'declined')
    await countStep(database, whole, 'connected')
    await countStep(database, { instanceId, id: handOff.linkId }, 'left')
    await countStep(database, { ...french, instanceId: otherId }, 'failed')
    await countStep(database, uncounted, 'agreed')
    const count = { day: '2026-11-20', source: 'quickbooks', language: 'en', isFramed: false }
    const one = (from: string, to: string, of = instanceId) => countFunnel(database, of, { from, to })
    expect(await one('2026-11-20', '2026-11-20')).toEqual([
      { ...count, ...steps('opened', 'agreed', 'chose', 'declined', 'connected') },
      { ...count, isFramed: true, ...steps('opened', 'left') },
      { ...count, language: 'fr-CA', ...steps('opened') },
    ])
    expect((await one('2026-11-19', '2026-11-20')).map(({ day }) => day)).toEqual(['2026-11-19', ...Array(3).fill('2026-11-20')])
    expect([await one('2026-11-21', '2026-11-22'), await one('2026-11-19', '2026-11-20', otherId)]).toEqual([[], []])
    expect(await findToday(database)).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })
})
