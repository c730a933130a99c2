import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAuthorization } from '../../../src/store/connections/authorizations.ts'
import { readConsents } from '../../../src/store/connections/consent-lists.ts'
import {
  attachConsent,
  type Consent,
  deleteConsentsOfCompany,
  endConsent,
  endConsentsOfConnection,
  endUnusedConsents,
  findActiveConsent,
  findFirstOpening,
  findUnusedConsent,
  hasDeclined,
  hasOnlyEndedConsents,
  listConsentsExpiringBefore,
  listConsentsOfCompany,
  listConsentsOfConnection,
  listConsentsOfLink,
  type NewConsent,
  recordConsent,
  repeatConsent,
} from '../../../src/store/connections/consents.ts'
import type { Operator, Selection } from '../../../src/store/db/list-selection.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { listColumn, setColumns, storeConnection, storeLink, storeTenants, type Tenants } from '../stored.ts'
import { newConsent } from './consents.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, linkId] = ['', '', '']
beforeEach(async () => {
  await test.database.query('truncate consents')
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
  linkId = (await storeLink(test.database, tenants)).id
})

async function store(more: Partial<NewConsent> = {}, connectionId: string | null = null): Promise<NewConsent> {
  const consent = newConsent({ ...tenants, linkId, ...more })
  await recordConsent(test.database, consent)
  if (connectionId !== null) await attachConsent(test.database, instanceId, consent.id, connectionId)
  return consent
}

/** The consent as it is read. */
const shown = ({ textHash, ...consent }: NewConsent, more: Partial<Consent> = {}): Consent => {
  const { otherId: _, otherCompanyId: __, ...own } = { otherId: '', otherCompanyId: '', ...consent }
  return { ...own, textHash: Buffer.from(textHash).toString('hex'), connectionId: null, endedAt: null, endedHow: null, ...more }
}

const idsOf = (consents: readonly { id: string }[]) => consents.map(({ id }) => id)

describe('a consent', () => {
  it('is read as it was given, in every list that has it, oldest first', async () => {
    const { database } = test
    const { id: connectionId, serviceId } = await storeConnection(database, tenants)
    const second = await store({ givenAt: minutesAfter(1), language: 'fr-CA', timeZone: 'America/Montreal' }, connectionId)
    const first = await store({}, connectionId)
    const both = [shown(first, { connectionId, serviceId }), shown(second, { connectionId, serviceId })]
    expect([
      await listConsentsOfCompany(database, instanceId, tenants.companyId),
      await listConsentsOfConnection(database, instanceId, connectionId),
      await listConsentsOfLink(database, instanceId, linkId),
    ]).toEqual([both, both, both])
    expect([
      await listConsentsOfCompany(database, otherId, tenants.companyId),
      await listConsentsOfConnection(database, otherId, connectionId),
      await listConsentsOfLink(database, otherId, linkId),
      await listConsentsOfLink(database, instanceId, randomUUID()),
    ]).toEqual([[], [], [], []])
    expect(await findActiveConsent(database, instanceId, connectionId)).toEqual(both[1])
    expect(await findActiveConsent(database, otherId, connectionId)).toBe(null)
  })

  it('has the service of its link, and no connection, until there is one; the newest counts', async () => {
    const { database } = test
    expect(await findUnusedConsent(database, instanceId, linkId)).toBe(null)
    await store()
    const newest = await store({ givenAt: minutesAfter(1) })
    expect(await findUnusedConsent(database, instanceId, linkId)).toEqual(shown(newest))
    expect([await findUnusedConsent(database, otherId, linkId), await findUnusedConsent(database, instanceId, randomUUID())]).toEqual([
      null,
      null,
    ])
    const { id } = await storeConnection(database, tenants)
    await attachConsent(database, otherId, newest.id, id)
    expect((await findUnusedConsent(database, instanceId, linkId))?.id).toBe(newest.id)
    await attachConsent(database, instanceId, newest.id, id)
    expect((await findUnusedConsent(database, instanceId, linkId))?.id).not.toBe(newest.id)
    await attachConsent(database, instanceId, newest.id, randomUUID())
    expect(idsOf(await listConsentsOfConnection(database, instanceId, id))).toEqual([newest.id])
  })

  it('is repeated for another connection of the same link', async () => {
    const { database } = test
    const [one, two] = [await storeConnection(database, tenants), await storeConnection(database, tenants)]
    const given = await store({ timeZone: 'America/Montreal' }, one.id)
    const repeat = { id: randomUUID(), connectionId: two.id }
    await repeatConsent(database, otherId, given.id, repeat)
    expect(await findActiveConsent(database, instanceId, two.id)).toBe(null)
    await repeatConsent(database, instanceId, given.id, repeat)
    expect(await findActiveConsent(database, instanceId, two.id)).toEqual(
      shown(given, { id: repeat.id, connectionId: two.id, serviceId: two.serviceId }),
    )
  })

  it('ends once, and how is kept', async () => {
    const { database } = test
    const { id: connectionId } = await storeConnection(database, tenants)
    const [one, two, kept] = [await store({}, connectionId), await store({}, connectionId), await store()]
    const end = (id: string, of = instanceId) => endConsent(database, of, id, { endedAt: AT, how: 'withdrawn' })
    expect([await end(one.id, otherId), await end(randomUUID()), await end(one.id), await end(one.id)]).toEqual([false, false, true, false])
    expect((await findActiveConsent(database, instanceId, connectionId))?.id).toBe(two.id)
    const endAll = (of: string) => endConsentsOfConnection(database, of, connectionId, { endedAt: minutesAfter(1), how: 'disconnected' })
    expect([await endAll(otherId), await endAll(instanceId), await endAll(instanceId)]).toEqual([0, 1, 0])
    const ended = new Map((await listConsentsOfLink(database, instanceId, linkId)).map((each) => [each.id, [each.endedAt, each.endedHow]]))
    expect(ended).toEqual(
      new Map([
        [one.id, [AT, 'withdrawn']],
        [two.id, [minutesAfter(1), 'disconnected']],
        [kept.id, [null, null]],
      ]),
    )
    expect([
      await findActiveConsent(database, instanceId, connectionId),
      (await findUnusedConsent(database, instanceId, linkId))?.id,
    ]).toEqual([null, kept.id])
  })

  it('was taken back with a link when all of the link have ended, and there were some', async () => {
    const { database } = test
    const isTakenBack = (of = instanceId) => hasOnlyEndedConsents(database, of, linkId)
    expect(await isTakenBack()).toBe(false)
    const [one, two] = [await store(), await store()]
    expect(await isTakenBack()).toBe(false)
    await endConsent(database, instanceId, one.id, { endedAt: AT, how: 'withdrawn' })
    expect(await isTakenBack()).toBe(false)
    await endConsent(database, instanceId, two.id, { endedAt: AT, how: 'unused' })
    expect([await isTakenBack(), await isTakenBack(otherId)]).toEqual([true, false])
  })

  it('was declined with a link and a text', async () => {
    const { database } = test
    const { id, textHash } = await store()
    const declined = (of = instanceId, link = linkId, hash = textHash) => hasDeclined(database, of, link, hash)
    expect(await declined()).toBe(false)
    await endConsent(database, instanceId, id, { endedAt: AT, how: 'declined' })
    expect([
      await declined(),
      await declined(otherId),
      await declined(instanceId, randomUUID()),
      await declined(instanceId, linkId, randomBytes(32)),
    ]).toEqual([...[true, false, false, false]])
    const other = await store({ texts: { en: ['Other'], 'fr-CA': ['Autre'] } })
    await endConsent(database, instanceId, other.id, { endedAt: AT, how: 'withdrawn' })
    expect(await declined(instanceId, linkId, other.textHash)).toBe(false)
  })

  it('goes with its company, and its text with the last consent that has it', async () => {
    const { database } = test
    const neighbourId = await addCompany(database, instanceId)
    const [own, shared] = [
      { en: ['Own'], 'fr-CA': ['Propre'] },
      { en: ['Shared'], 'fr-CA': ['Commun'] },
    ]
    await store({ texts: own })
    await store({ texts: shared })
    await store({ texts: shared, companyId: neighbourId })
    await deleteConsentsOfCompany(database, otherId, tenants.companyId)
    expect(await listConsentsOfCompany(database, instanceId, tenants.companyId)).toHaveLength(2)
    await deleteConsentsOfCompany(database, instanceId, tenants.companyId)
    expect(await listColumn(database, 'consents', 'company_id', instanceId)).toEqual([neighbourId])
    expect(await listColumn(database, 'consent_texts', 'texts', instanceId)).toEqual([shared])
  })

  it('knows when a link of it was first opened', async () => {
    const { database } = test
    const { id: connectionId } = await storeConnection(database, tenants)
    const second = await storeLink(database, tenants)
    expect(await findFirstOpening(database, instanceId, connectionId)).toBe(null)
    for (const link of [linkId, second.id]) await store({ linkId: link }, connectionId)
    expect(await findFirstOpening(database, instanceId, connectionId)).toBe(null)
    for (const [id, at] of [
      [linkId, minutesAfter(5)],
      [second.id, minutesAfter(2)],
    ] as const)
      await setColumns(database, 'links', { instanceId, id }, { opened_at: `'${at.toISOString()}'` })
    expect(await findFirstOpening(database, instanceId, connectionId)).toEqual(minutesAfter(2))
    expect(await findFirstOpening(database, otherId, connectionId)).toBe(null)
  })
})

describe('consents of all instances', () => {
  it('that expire before a moment have a connection and have not ended; the first to end come first', async () => {
    const { database } = test
    const { id: connectionId } = await storeConnection(database, tenants)
    const days = (n: number) => ({ expiresAt: minutesAfter(n * 1_440) })
    const [third, first, second, ended] = [
      await store(days(3), connectionId),
      await store(days(1), connectionId),
      await store(days(2), connectionId),
      await store(days(1), connectionId),
    ]
    await store(days(1))
    await endConsent(database, instanceId, ended.id, { endedAt: AT, how: 'expired' })
    const expiringBefore = async (minutes: number, limit = 10) =>
      idsOf(await listConsentsExpiringBefore(database, minutesAfter(minutes), limit))
    expect(await expiringBefore(3 * 1_440)).toEqual([first.id, second.id])
    expect(await expiringBefore(3 * 1_440 + 1)).toEqual([first.id, second.id, third.id])
    expect([await expiringBefore(10_000, 1), await expiringBefore(1_440)]).toEqual([[first.id], []])
  })

  it.each<[string, Record<string, string>, boolean]>([
    ['open', { expires_at: `now() + interval '2 days'` }, false],
    ['expired', { expires_at: `now() - interval '1 second'` }, true],
    ['completed', { completed_at: 'now()' }, true],
    ['revoked', { revoked_at: 'now()' }, true],
  ])('of a link that is %s end without result: %j → %s', async (_what, columns, isEnded) => {
    const { database } = test
    const unused = await store()
    const { id: connectionId } = await storeConnection(database, tenants)
    await store({}, connectionId)
    await setColumns(database, 'links', { instanceId, id: linkId }, columns)
    expect(await endUnusedConsents(database, AT, new Date())).toBe(isEnded ? 1 : 0)
    expect(await endUnusedConsents(database, AT, new Date())).toBe(0)
    const ended = (await listConsentsOfLink(database, instanceId, linkId)).filter(({ endedAt }) => endedAt !== null)
    expect(ended).toEqual(isEnded ? [shown(unused, { endedAt: AT, endedHow: 'unused' })] : [])
  })

  it('stay while an owner or a helper is at the source', async () => {
    const { database } = test
    await store()
    await setColumns(database, 'links', { instanceId, id: linkId }, { expires_at: `now() - interval '1 hour'` })
    const helper = await storeLink(database, tenants)
    await setColumns(database, 'links', { instanceId, id: helper.id }, { parent_id: `'${linkId}'` })
    const { id: connectionId } = await storeConnection(database, tenants)
    const end = () => endUnusedConsents(database, AT, new Date())
    for (const at of [linkId, helper.id]) {
      const pending = { instanceId, id: randomUUID(), linkId: at, connectionId, memo: null, memoMatch: null, sourceKeysId: null }
      await createAuthorization(database, { ...pending, stateHash: randomBytes(32), lifeMinutes: 30 })
      expect(await end()).toBe(0)
      await database.query('delete from authorizations where id = $1', [pending.id])
    }
    expect(await end()).toBe(1)
  })
})

describe('the ledger', () => {
  const read = async (more: Partial<Selection> = {}, scope: { companyId?: string; serviceId?: string; instanceId?: string } = {}) =>
    await readConsents(
      test.database,
      { instanceId, ...scope },
      { filter: [], orderBy: 'givenOn', descending: false, limit: 10, offset: 0, ...more },
    )

  it('is of an instance, a company or a service, and has pages', async () => {
    const { database } = test
    const neighbourId = await addCompany(database, instanceId)
    const { id: connectionId, serviceId } = await storeConnection(database, tenants)
    const [one, two, three] = [
      await store({}, connectionId),
      await store({ givenAt: minutesAfter(1) }),
      await store({ givenAt: minutesAfter(2), companyId: neighbourId }),
    ]
    expect(await read()).toEqual({
      consents: [shown(one, { connectionId, serviceId }), shown(two), shown(three)],
      total: { total: 3, hasMore: false },
    })
    const table: [Awaited<ReturnType<typeof read>>, string[], number][] = [
      [await read({ descending: true, limit: 2 }), [three.id, two.id], 3],
      [await read({ offset: 1, limit: 1 }), [two.id], 3],
      [await read({}, { companyId: tenants.companyId }), [one.id, two.id], 2],
      [await read({}, { companyId: tenants.companyId, serviceId }), [one.id], 1],
      [await read({}, { serviceId: two.serviceId }), [two.id], 1],
      [await read({}, { serviceId: one.serviceId }), [], 0],
      [await read({}, { instanceId: otherId }), [], 0],
    ]
    for (const [{ consents, total }, ids, count] of table) expect([idsOf(consents), total]).toEqual([ids, { total: count, hasMore: false }])
  })

  it('filters and orders by what it shows', async () => {
    const { database } = test
    const { id: connectionId, serviceId } = await storeConnection(database, tenants)
    const one = await store({ purposeKey: 'audit', durationDays: 10, purposeVersion: 2 }, connectionId)
    const two = await store({ givenAt: minutesAfter(60), language: 'fr-CA' })
    await endConsent(database, instanceId, two.id, { endedAt: minutesAfter(90), how: 'withdrawn' })
    const time = (at: Date) => at.toISOString().replace('Z', '000Z')
    const table: [string, Operator, string | null, string[]][] = [
      ['id', '=', one.id, [one.id]],
      ['companyId', '=', tenants.companyId, [one.id, two.id]],
      ['serviceId', '=', serviceId, [one.id]],
      ['sessionId', '=', connectionId, [one.id]],
      ['linkId', '=', linkId, [one.id, two.id]],
      ['purpose', '=', 'audit', [one.id]],
      ['purposeVersion', '>', '1', [one.id]],
      ['language', '=', 'fr', [two.id]],
      ['durationDays', '<', '30', [one.id]],
      ['givenOn', '>', time(AT), [two.id]],
      ['expiresOn', '<=', time(one.expiresAt), [one.id]],
      ['endedOn', '=', null, [one.id]],
      ['endedHow', '=', 'withdrawn', [two.id]],
    ]
    for (const [property, operator, value, ids] of table) {
      expect(idsOf((await read({ filter: [[{ property, operator, value }]] })).consents), property).toEqual(ids)
      for (const descending of [false, true]) expect((await read({ orderBy: property, descending })).consents, property).toHaveLength(2)
    }
    expect(idsOf((await read({ orderBy: 'endedOn' })).consents)).toEqual([two.id, one.id])
    expect(idsOf((await read({ orderBy: 'endedOn', descending: true })).consents)).toEqual([two.id, one.id])
  })
})
