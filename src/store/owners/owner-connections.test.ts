import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { createConnection } from '../connections/connections.ts'
import {
  countOwnerAccesses,
  findOwnerAccess,
  isOwnerAccessStored,
  revokeOwnerAccesses,
  saveAccessOfLink,
  saveOwnerAccess,
} from './owner-accesses.ts'
import { deleteOwnerAddress, findOwnerAddress, ownerAddressRetention, saveOwnerAddress } from './owner-addresses.ts'
import {
  claimDueErasures,
  countOwnedConnections,
  countReadSoFar,
  countStored,
  findOwnedConnection,
  listActiveConnections,
  listEndedConnections,
  readPauses,
  writeEraseIn,
  writePauses,
} from './owner-connections.ts'
import { addPurposeVersion, findLogo, getOwnerPages, listPurposes, saveLogo, saveOwnerPages } from './owner-pages.ts'
import { findOwnerTimeZone } from './owner-time-zones.ts'
import { saveReceipt } from './receipts.ts'
import { listConnectionsToRepair, listConsentsToRemind, noteReminder } from './reminders.ts'

const test = databaseForTests()
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
  companyId = await addCompany(test.database, instanceId)
})

const AT = new Date('2026-11-20T12:00:00Z')

async function connect({ entity = 'e', status = 9 }: { entity?: string | null; status?: number } = {}): Promise<string> {
  const id = randomUUID()
  await createConnection(test.database, {
    ...{ instanceId, id, companyId, serviceId: randomUUID(), connectorKey: 'quickbooks', category: 'Accounting', email: 'a@maple.example' },
    ...{ status: 9, refreshHours: 24, applicationId: null },
  })
  await set(id, 'entity_id = $3, entity_name = $4, status = $5', entity, entity && 'Books', status)
  return id
}

async function set(id: string, columns: string, ...values: unknown[]): Promise<void> {
  await test.database.query(`update connections set ${columns} where instance_id = $1 and id = $2`, [instanceId, id, ...values])
}

describe('an address of a company’s own page', () => {
  const access = (tokenHash: Buffer, id = randomUUID()) => ({ instanceId, id, companyId, tokenHash })
  const newHash = () => Buffer.from(randomUUID())

  it('is found by its hash until it is revoked, and is not stored twice', async () => {
    const { database } = test
    const [hash, unknown] = [newHash(), newHash()]
    const first = access(hash)
    await saveOwnerAccess(database, first)
    await saveOwnerAccess(database, access(hash))
    const { tokenHash: _, ...found } = first
    expect(await findOwnerAccess(database, [unknown, hash])).toEqual(found)
    expect(await findOwnerAccess(database, [unknown])).toBe(null)
    await saveOwnerAccess(database, access(newHash()))
    expect([await countOwnerAccesses(database, instanceId, companyId), await countOwnerAccesses(database, otherId, companyId)]).toEqual([
      2, 0,
    ])
    expect([await revokeOwnerAccesses(database, otherId, companyId), await revokeOwnerAccesses(database, instanceId, companyId)]).toEqual([
      0, 2,
    ])
    expect([await revokeOwnerAccesses(database, instanceId, companyId), await countOwnerAccesses(database, instanceId, companyId)]).toEqual(
      [0, 0],
    )
    await saveOwnerAccess(database, first)
    expect(await findOwnerAccess(database, [hash])).toBe(null)
    expect([await isOwnerAccessStored(database, [hash]), await isOwnerAccessStored(database, [unknown])]).toEqual([true, false])
  })

  it('of a link is stored unless all were revoked after the link was used up', async () => {
    const { database } = test
    const hash = newHash()
    expect(await saveAccessOfLink(database, access(hash), AT)).toBe(true)
    expect(await saveAccessOfLink(database, access(hash), AT)).toBe(false)
    await database.query('update owner_accesses set revoked_at = $2 where instance_id = $1', [instanceId, AT])
    expect(await saveAccessOfLink(database, access(newHash()), AT)).toBe(true)
    expect(await saveAccessOfLink(database, access(newHash()), new Date(AT.getTime() - 1))).toBe(false)
  })

  it('ends 30 days after the last connection, or after it was made', async () => {
    const { database } = test
    const hash = newHash()
    await saveOwnerAccess(database, access(hash))
    const isOpen = async () => (await findOwnerAccess(database, [hash])) !== null
    await database.query(`update owner_accesses set created_at = now() - interval '31 days' where instance_id = $1`, [instanceId])
    await connect({ entity: null })
    expect(await isOpen()).toBe(false)
    const id = await connect()
    expect(await isOpen()).toBe(true)
    await set(id, `status = 26, updated_at = now() - interval '29 days'`)
    expect(await isOpen()).toBe(true)
    await set(id, `updated_at = now() - interval '31 days'`)
    expect(await isOpen()).toBe(false)
  })
})

describe('the mail address of an owner', () => {
  it('is one for each company, in its instance', async () => {
    const { database } = test
    const address = { instanceId, companyId, address: Buffer.from('sealed'), locale: 'en' as const }
    await saveOwnerAddress(database, address)
    await saveOwnerAddress(database, { ...address, address: Buffer.from('newer'), locale: 'fr-CA' })
    expect(await findOwnerAddress(database, instanceId, companyId)).toEqual({ ...address, address: Buffer.from('newer'), locale: 'fr-CA' })
    await deleteOwnerAddress(database, otherId, companyId)
    expect([
      await findOwnerAddress(database, otherId, companyId),
      (await findOwnerAddress(database, instanceId, companyId))?.locale,
    ]).toEqual([null, 'fr-CA'])
    await deleteOwnerAddress(database, instanceId, companyId)
    expect(await findOwnerAddress(database, instanceId, companyId)).toBe(null)
  })

  it('is deleted 30 days after the last connection, and not before', async () => {
    const { database } = test
    await database.query('delete from owner_addresses')
    const companies = [companyId]
    for (let n = 0; n < 3; n += 1) companies.push(await addCompany(database, instanceId))
    const [young, active, ended, gone] = companies
    for (const id of companies) await saveOwnerAddress(database, { instanceId, companyId: id, address: Buffer.from('a'), locale: 'en' })
    await database.query(`update owner_addresses set noted_at = now() - interval '31 days' where company_id <> $1`, [young])
    for (const [id, days] of [
      [active, null],
      [ended, 29],
      [gone, 31],
    ] as const) {
      companyId = id ?? ''
      const connection = await connect()
      if (days !== null) await set(connection, 'status = 26, updated_at = now() - make_interval(days => $3)', days)
    }
    expect([await ownerAddressRetention(database)(), await ownerAddressRetention(database)()]).toEqual([1, 0])
    const { rows } = await database.query<{ id: string }>('select company_id as id from owner_addresses')
    expect(rows.map(({ id }) => id).sort()).toEqual([young, active, ended].sort())
  })
})

describe('connections as their owner sees them', () => {
  it('are those that were ever authorized: the active ones in their order, the others by their end', async () => {
    const { database } = test
    const first = await connect()
    await connect({ entity: null })
    const [earlier, second, later] = [await connect({ status: 26 }), await connect(), await connect({ status: 26 })]
    const old = await connect({ status: 26 })
    await set(earlier, 'updated_at = $3', new Date(AT.getTime() + 1))
    await set(later, 'updated_at = $3', new Date(AT.getTime() + 2))
    await set(old, 'updated_at = $3', AT)
    const page = { limit: 9, offset: 0 }
    const company = { instanceId, companyId }
    const listed = await listActiveConnections(database, company, page)
    expect(listed.map(({ id, endedAt }) => [id, endedAt])).toEqual([
      [first, null],
      [second, null],
    ])
    const ended = async (of: Partial<typeof page> = {}) =>
      (await listEndedConnections(database, company, AT, { ...page, ...of })).map(({ id, endedAt }) => [id, endedAt?.getTime()])
    const [ofLater, ofEarlier] = [
      [later, AT.getTime() + 2],
      [earlier, AT.getTime() + 1],
    ]
    expect([await ended(), await ended({ limit: 1, offset: 1 }), await ended({ offset: 2 })]).toEqual([
      [ofLater, ofEarlier],
      [ofEarlier],
      [],
    ])
    expect((await listActiveConnections(database, company, { limit: 1, offset: 1 })).map(({ id }) => id)).toEqual([second])
    const counts = async (instance = instanceId) => await countOwnedConnections(database, { instanceId: instance, companyId }, AT)
    expect([await counts(), await counts(otherId)]).toEqual([
      { active: 2, ended: 2 },
      { active: 0, ended: 0 },
    ])
    await saveReceipt(database, {
      ...{ ...company, id: randomUUID(), connectionId: old, kind: 'deletion', serviceName: 'Bank', signed: 'signed' },
      issuedAt: AT,
    })
    expect([await ended(), (await counts()).ended]).toEqual([[ofLater, ofEarlier, [old, AT.getTime()]], 3])
    const found = await findOwnedConnection(database, { instanceId, companyId, connectionId: first })
    expect(found).toEqual(listed[0])
    expect(found).toMatchObject({ entityName: 'Books', status: 9, category: 'Accounting', eraseAt: null })
    for (const wrong of [{ instanceId: otherId }, { companyId: randomUUID() }, { connectionId: randomUUID() }])
      expect(await findOwnedConnection(database, { instanceId, companyId, connectionId: first, ...wrong })).toBe(null)
    const other = { instanceId: otherId, companyId }
    expect([await listActiveConnections(database, other, page), await listEndedConnections(database, other, AT, page)]).toEqual([[], []])
    expect(await countStored(database, instanceId, first)).toEqual({ accounts: 0, transactions: 0, rawPages: 0 })
    expect(await countReadSoFar(database, { instanceId, companyId, id: first })).toBe(null)
  })

  it('are suspended by the owner, the operator or both', async () => {
    const { database } = test
    const key = { instanceId, id: await connect() }
    await writePauses(database, key, { owner: AT, operator: AT })
    expect(await readPauses(database, key)).toEqual({ owner: null, operator: null })
    await set(key.id, 'status = 27')
    expect(await readPauses(database, key)).toEqual({ owner: AT, operator: AT })
    await writePauses(database, key, { owner: AT, operator: null })
    expect(await readPauses(database, key)).toEqual({ owner: AT, operator: null })
    await writePauses(database, key, { owner: null, operator: null })
    expect(await readPauses(database, key)).toEqual({ owner: null, operator: expect.any(Date) })
  })

  it('that have ended are erased when their time has come, each once', async () => {
    const { database } = test
    const [now, later] = [await connect({ status: 26 }), await connect({ status: 26 })]
    const eraseAt = async (id: string) => (await findOwnedConnection(database, { instanceId, companyId, connectionId: id }))?.eraseAt
    await writeEraseIn(database, { instanceId, id: now }, 0)
    expect(await eraseAt(now)).toBe(null)
    for (const id of [now, later]) await writeEraseIn(database, { instanceId, id }, 7)
    expect(await eraseAt(later)).toEqual(expect.any(Date))
    expect(await claimDueErasures(database, 10)).toEqual([])
    await set(now, `erase_at = now() - interval '1 minute'`)
    expect(await claimDueErasures(database, 10)).toEqual([{ instanceId, id: now, connectorKey: 'quickbooks' }])
    expect([await claimDueErasures(database, 10), await eraseAt(now), await eraseAt(later)]).toEqual([[], null, expect.any(Date)])
  })
})

describe('the settings of the owners’ pages', () => {
  const pages = {
    ...{
      publicName: 'Érable',
      contact: 'help@maple.example',
      accentLight: '#112233',
      accentDark: '#445566',
      defaultLanguage: 'fr-CA' as const,
    },
    ...{ timeZone: 'America/Montreal', purposeKeys: ['loan'], defaultPurpose: 'loan', returnAddresses: ['https://a.example/'] },
    frameOrigins: ['https://b.example'],
  }
  const unset = {
    ...{ publicName: '', contact: '', accentLight: null, accentDark: null, defaultLanguage: null, timeZone: null, purposeKeys: [] },
    ...{ defaultPurpose: null, returnAddresses: [], frameOrigins: [], logo: null },
  }

  it('are replaced apart from the logo, which has an address by its hash', async () => {
    const { database } = test
    expect(await getOwnerPages(database, instanceId)).toEqual(unset)
    await saveOwnerPages(database, instanceId, { ...pages, publicName: 'First' })
    await saveOwnerPages(database, instanceId, pages)
    expect(await getOwnerPages(database, instanceId)).toEqual({ ...pages, logo: null })
    await saveLogo(database, instanceId, { bytes: Buffer.from('png'), type: 'image/png', hash: 'abc' })
    const stored = { ...pages, logo: { type: 'image/png', hash: 'abc', bytes: 3 } }
    expect([await getOwnerPages(database, instanceId), await getOwnerPages(database, otherId)]).toEqual([stored, unset])
    expect(await findLogo(database, instanceId, 'abc')).toEqual({ bytes: Buffer.from('png'), type: 'image/png' })
    expect([await findLogo(database, instanceId, 'abd'), await findLogo(database, otherId, 'abc')]).toEqual([null, null])
    await saveLogo(database, instanceId, null)
    expect([(await getOwnerPages(database, instanceId)).logo, await findLogo(database, instanceId, 'abc')]).toEqual([null, null])
    await saveLogo(database, otherId, { bytes: Buffer.from('x'), type: 'image/webp', hash: 'x' })
    expect(await getOwnerPages(database, otherId)).toEqual({ ...unset, logo: { type: 'image/webp', hash: 'x', bytes: 1 } })
  })

  it('name the time zone where no consent does, and the newest text of each purpose', async () => {
    const { database } = test
    expect(await findOwnerTimeZone(database, { instanceId, companyId })).toBe('UTC')
    await saveOwnerPages(database, instanceId, pages)
    expect(await findOwnerTimeZone(database, { instanceId, companyId })).toBe('America/Montreal')
    const purpose = (key: string, version: number) => ({
      key,
      version,
      texts: { en: `${key} ${version}`, 'fr-CA': 'Prêt' },
      durationDays: 30,
    })
    for (const each of [purpose('loan', 1), purpose('loan', 2), purpose('audit', 1)]) await addPurposeVersion(database, instanceId, each)
    expect(await listPurposes(database, instanceId)).toEqual([purpose('audit', 1), purpose('loan', 2)])
    expect(await listPurposes(database, otherId)).toEqual([])
  })
})

describe('reminders', () => {
  it('of consents come at the step that was reached, once, and not after the end', async () => {
    const { database } = test
    const id = await connect()
    await saveOwnerAddress(database, { instanceId, companyId, address: Buffer.from('a'), locale: 'en' })
    await database.query(`insert into consent_texts (instance_id, hash, texts) values ($1, 'h', '{}')`, [instanceId])
    const consentId = randomUUID()
    await database.query(
      `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
         duration_days, given_at, expires_at) values ($1, $2, $3, $4, $4, $5, 'loan', 1, 'h', 'en', 30, $6, $6::timestamptz + interval '30 days')`,
      [instanceId, consentId, companyId, randomUUID(), id, AT],
    )
    const due = async (days: number, limit = 5) =>
      (await listConsentsToRemind(database, new Date(AT.getTime() + days * 86_400_000), [7, 14, 1], limit)).filter(
        (each) => each.instanceId === instanceId,
      )
    expect(
      (await Promise.all([15.9, 16, 23, 29, 29.9, 30].map((days) => due(days)))).map((found) => found.map(({ days }) => days)),
    ).toEqual([[], [14], [7], [1], [1], []])
    const [first] = await due(23)
    if (!first) throw new Error('no reminder')
    expect(first).toMatchObject({
      companyId,
      about: `consent/${consentId}/7`,
      issuedBy: 'a@maple.example',
      applicationId: null,
      purposeKey: null,
    })
    expect([await noteReminder(database, first), await noteReminder(database, first)]).toEqual([true, false])
    expect([await due(23), (await due(29)).map(({ days }) => days), await due(29, 0)]).toEqual([[], [1], []])
    await set(id, 'status = 26')
    expect(await due(29)).toEqual([])
  })

  it('of connections that need their owner come where mails to owners are allowed', async () => {
    const { database } = test
    const id = await connect({ status: 8 })
    await saveOwnerAddress(database, { instanceId, companyId, address: Buffer.from('a'), locale: 'en' })
    const due = async () => (await listConnectionsToRepair(database, 5)).filter((each) => each.instanceId === instanceId)
    await database.query(`insert into mail_settings (instance_id, writes_to_owners) values ($1, true)`, [instanceId])
    expect(await due()).toEqual([])
    await database.query('insert into connection_timeline (instance_id, connection_id, at, to_status) values ($1, $2, $3, 8)', [
      instanceId,
      id,
      AT,
    ])
    const [first] = await due()
    if (!first) throw new Error('no reminder')
    expect(first).toMatchObject({ companyId, about: `repair/${id}/${AT.getTime() / 1_000}`, purposeKey: null })
    await database.query('update mail_settings set writes_to_owners = false where instance_id = $1', [instanceId])
    expect(await due()).toEqual([])
    await database.query('update mail_settings set writes_to_owners = true where instance_id = $1', [instanceId])
    await noteReminder(database, first)
    expect(await due()).toEqual([])
  })
})
