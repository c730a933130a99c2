import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  completeLink,
  copyLink,
  createLink,
  findChosenInstitution,
  findLinkById,
  findLinkByToken,
  lockLinks,
  noteChosenInstitution,
  noteOpened,
  noteTrace,
  prolongLink,
  revokeLinks,
  rootLinkId,
} from '../../../src/store/connections/links.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { newLink, setColumns, storeLink, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
})

const find = (id: string, of = instanceId) => findLinkById(test.database, of, id)
const set = (id: string, columns: Record<string, string>) => setColumns(test.database, 'links', { instanceId, id }, columns)

/** Stores an owner's link with two hand-offs. */
async function storeFamily() {
  const parent = await storeLink(test.database, tenants)
  const children = [await storeLink(test.database, tenants), await storeLink(test.database, tenants)]
  for (const { id } of children) await set(id, { parent_id: `'${parent.id}'` })
  const [first, second] = children
  if (!first || !second) throw new Error('no children')
  return { parent, first, second }
}

describe('a link', () => {
  it('is stored once for its token, and found by its id and by its token', async () => {
    const { database } = test
    const given = newLink(tenants, {
      ...{ applicationId: randomUUID(), purposeKey: 'loan', language: 'fr-CA', returnUrl: 'https://a.example/', lifeHours: 2 },
    })
    expect([await createLink(database, given), await createLink(database, { ...given, id: randomUUID() })]).toEqual([true, false])
    const { tokenHash, lifeHours: _, ...same } = given
    const stored = {
      ...same,
      ...{ expiresAt: expect.any(Date), completedAt: null, revokedAt: null, openedAt: null, parentId: null, traceParent: null },
    }
    const found = await find(given.id)
    expect(found).toEqual(stored)
    expect(Math.abs((found?.expiresAt.getTime() ?? 0) - Date.now() - 2 * 3_600_000)).toBeLessThan(600_000)
    expect(await findLinkByToken(database, [randomBytes(32), tokenHash])).toEqual({ ...stored, usable: true })
    expect([await findLinkByToken(database, [randomBytes(32)]), await find(given.id, otherId)]).toEqual([null, null])
  })

  it.each<[string, Record<string, string>, boolean]>([
    ['open', {}, true],
    ['expired', { expires_at: `now() - interval '1 second'` }, false],
    ['completed', { completed_at: 'now()' }, false],
    ['revoked', { revoked_at: 'now()' }, false],
  ])('that is %s can be used, and its hand-off with it: %j', async (_what, columns, isUsable) => {
    const { database } = test
    const { parent, first } = await storeFamily()
    await set(parent.id, columns)
    const usable = async (hash: Uint8Array) => (await findLinkByToken(database, [hash]))?.usable
    // The hand-off has the expiry of its own row.
    expect([await usable(parent.tokenHash), await usable(first.tokenHash)]).toEqual([isUsable, isUsable || 'expires_at' in columns])
  })

  it('is copied for another service with all its options', async () => {
    const { database } = test
    const model = await storeLink(database, tenants, {
      ...{ applicationId: randomUUID(), purposeKey: 'loan', language: 'en', returnUrl: 'https://a.example/' },
    })
    const copy = { id: randomUUID(), tokenHash: randomBytes(32), serviceId: randomUUID() }
    expect([await copyLink(database, { ...model, instanceId: otherId }, copy), await copyLink(database, model, copy)]).toEqual([
      false,
      true,
    ])
    expect([await copyLink(database, model, copy), await find(copy.id, otherId)]).toEqual([false, null])
    const original = await find(model.id)
    expect(await find(copy.id)).toEqual({ ...original, id: copy.id, serviceId: copy.serviceId })
    expect((await findLinkByToken(database, [copy.tokenHash]))?.id).toBe(copy.id)
  })

  it('is prolonged to a time from now, never shortened, and not after its end', async () => {
    const { database } = test
    const minutesLeft = async (id: string) => Math.round(((await find(id))?.expiresAt.getTime() ?? 0) / 60_000 - Date.now() / 60_000)
    const link = await storeLink(database, tenants)
    await set(link.id, { expires_at: `now() - interval '5 minutes'` })
    await prolongLink(database, { instanceId: otherId, id: link.id }, 30)
    expect(await minutesLeft(link.id)).toBeLessThan(0)
    await prolongLink(database, link, 300)
    await prolongLink(database, link, 30)
    expect(await minutesLeft(link.id)).toBeGreaterThan(290)
    for (const end of [{ revoked_at: 'now()' }, { completed_at: 'now()', revoked_at: 'null' }]) {
      await set(link.id, end)
      await prolongLink(database, link, 3_000)
      expect(await minutesLeft(link.id)).toBeLessThan(301)
    }
  })

  it('notes its first opening, its trace, and the bank that was chosen last', async () => {
    const { database } = test
    const { parent, first } = await storeFamily()
    const opened = async () => [await noteOpened(database, otherId, parent.id), await noteOpened(database, instanceId, parent.id)]
    expect(await opened()).toEqual([false, true])
    const openedAt = (await find(parent.id))?.openedAt
    expect([openedAt, await opened(), (await find(parent.id))?.openedAt]).toEqual([expect.any(Date), [false, false], openedAt])
    await noteTrace(database, otherId, parent.id, '00-b')
    expect((await find(parent.id))?.traceParent).toBe(null)
    await noteTrace(database, instanceId, parent.id, '00-a')
    expect([(await find(parent.id))?.traceParent, (await find(first.id))?.traceParent]).toEqual(['00-a', '00-a'])
    await noteTrace(database, instanceId, first.id, '00-c')
    expect([(await find(parent.id))?.traceParent, (await find(first.id))?.traceParent]).toEqual(['00-a', '00-c'])
    expect(await findChosenInstitution(database, parent)).toBe(null)
    await noteChosenInstitution(database, { ...parent, instanceId: otherId }, 'x')
    expect(await findChosenInstitution(database, parent)).toBe(null)
    for (const chosen of ['bank-1', 'bank-2', '']) {
      await noteChosenInstitution(database, parent, chosen)
      expect(await findChosenInstitution(database, parent)).toBe(chosen)
    }
    expect([await findChosenInstitution(database, first), await findChosenInstitution(database, { ...parent, id: randomUUID() })]).toEqual([
      null,
      null,
    ])
  })

  it('belongs to the link that it was handed off from', () => {
    expect([rootLinkId({ id: 'a', parentId: null }), rootLinkId({ id: 'a', parentId: 'b' })]).toEqual(['a', 'b'])
  })
})

describe('links that belong together', () => {
  const lock = (id: string, of = instanceId) => inTransaction(test.database, (db) => lockLinks(db, of, id))

  it('are locked in the order of their ids, whichever of them is named', async () => {
    const { parent, first, second } = await storeFamily()
    await storeLink(test.database, tenants)
    const ids = [parent, first, second].map(({ id }) => id).toSorted()
    expect([await lock(parent.id), await lock(first.id)]).toEqual([ids, ids])
    expect([await lock(parent.id, otherId), await lock(randomUUID())]).toEqual([null, null])
  })

  it.each(['completed_at', 'revoked_at'])('are not to be used when the one or its parent has %s', async (column) => {
    const { parent, first, second } = await storeFamily()
    await set(first.id, { [column]: 'now()' })
    expect([await lock(first.id), (await lock(second.id))?.length, (await lock(parent.id))?.length]).toEqual([null, 3, 3])
    await set(first.id, { [column]: 'null' })
    await set(parent.id, { [column]: 'now()' })
    expect([await lock(first.id), await lock(parent.id)]).toEqual([null, null])
  })

  it('are completed together, once, and what was revoked before stays so', async () => {
    const { database } = test
    const { parent, first, second } = await storeFamily()
    await set(second.id, { revoked_at: 'now()' })
    const complete = (of = instanceId) => inTransaction(database, (db) => completeLink(db, of, first.id))
    expect([await complete(otherId), await complete(), await complete()]).toEqual([false, true, false])
    const [one, two, three] = [await find(parent.id), await find(first.id), await find(second.id)]
    expect([one?.completedAt, two?.completedAt, three?.completedAt]).toEqual([expect.any(Date), expect.any(Date), null])
  })

  it('of a company at a service are revoked, and counted', async () => {
    const { database } = test
    const serviceId = randomUUID()
    const [open, completed, ofOtherService] = [
      await storeLink(database, tenants, { serviceId }),
      await storeLink(database, tenants, { serviceId }),
      await storeLink(database, tenants),
    ]
    await set(completed.id, { completed_at: 'now()' })
    const revoke = (of = instanceId, companyId = tenants.companyId) => revokeLinks(database, of, companyId, serviceId)
    expect([await revoke(otherId), await revoke(instanceId, randomUUID()), await revoke(), await revoke()]).toEqual([0, 0, 1, 0])
    const revoked = await Promise.all([open, completed, ofOtherService].map(async ({ id }) => (await find(id))?.revokedAt))
    expect(revoked).toEqual([expect.any(Date), null, null])
  })
})
