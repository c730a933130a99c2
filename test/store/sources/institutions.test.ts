import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ensureChildService } from '../../../src/store/connections/child-services.ts'
import { searchInstitutions } from '../../../src/store/sources/institution-search.ts'
import {
  answerInstitutionRequest,
  closeUnseenInstitutions,
  countConnectedInstitutions,
  countInstitutions,
  createInstitutionRequest,
  type DirectoryEntry,
  findInstitution,
  findInstitutionRequest,
  hasInstitutions,
  listInstitutionRequests,
  listInstitutionsByRoutingNumber,
  noteInstitutionRequest,
  rankInstitutions,
  saveInstitutions,
} from '../../../src/store/sources/institutions.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { listColumn, storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId] = ['', '']
beforeEach(async () => {
  await test.database.query('truncate institutions, directories')
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId } = tenants)
})

const bank = (id: string, more: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  ...{ id, name: `Bank ${id}`, countries: ['CA'], routingNumbers: [], url: null, ...more },
})
const save = (entries: DirectoryEntry[], at = AT, key = 'plaid') => saveInstitutions(test.database, key, at, entries)
const version = async (key = 'plaid') =>
  Number(
    (await test.database.query<{ version: string }>('select version from directories where connector_key = $1', [key])).rows[0]?.version ??
      0,
  )

describe('a directory', () => {
  it('has each bank as it was read last', async () => {
    const { database } = test
    const find = (id: string, key = 'plaid') => findInstitution(database, key, id)
    expect([await hasInstitutions(database, 'plaid'), await countInstitutions(database, 'plaid'), await find('a')]).toEqual([
      false,
      0,
      null,
    ])
    const full = bank('a', { countries: ['CA', 'US'], routingNumbers: ['001', '002'], url: 'https://a.example' })
    await save([bank('a'), bank('b'), full])
    expect([await find('a'), await find('b'), await find('a', 'mx')]).toEqual([full, bank('b'), null])
    expect([await hasInstitutions(database, 'plaid'), await hasInstitutions(database, 'mx')]).toEqual([true, false])
    expect([await countInstitutions(database, 'plaid'), await countInstitutions(database, 'mx')]).toEqual([2, 0])
    await save([bank('a', { name: 'Renamed' })], minutesAfter(1))
    expect(await find('a')).toEqual(bank('a', { name: 'Renamed' }))
  })

  it('closes banks that a later listing does not have, and opens those that come back', async () => {
    const { database } = test
    await save([bank('a'), bank('b')])
    await save([bank('a')], AT, 'mx')
    await save([bank('a')], minutesAfter(1))
    await closeUnseenInstitutions(database, 'plaid', minutesAfter(1))
    expect([
      await findInstitution(database, 'plaid', 'b'),
      await countInstitutions(database, 'plaid'),
      await countInstitutions(database, 'mx'),
    ]).toEqual([null, 1, 1])
    const { rows } = await database.query(`select closed_at as at from institutions where connector_key = 'plaid' order by id`)
    expect(rows).toEqual([{ at: null }, { at: minutesAfter(1) }])
    await closeUnseenInstitutions(database, 'plaid', minutesAfter(2))
    expect(await hasInstitutions(database, 'plaid')).toBe(false)
    await save([bank('b')], minutesAfter(3))
    expect(await findInstitution(database, 'plaid', 'b')).toEqual(bank('b'))
  })

  it('has a version that each change raises, and nothing else does', async () => {
    const { database } = test
    const changes: [string, () => Promise<void>, number][] = [
      ['a new bank', () => save([bank('a'), bank('b')]), 1],
      ['the same', () => save([bank('a'), bank('b')], minutesAfter(1)), 1],
      ['another address', () => save([bank('a', { url: 'https://a.example' })], minutesAfter(1)), 1],
      ['another name', () => save([bank('a', { name: 'Renamed' })], minutesAfter(1)), 2],
      ['another country', () => save([bank('a', { name: 'Renamed', countries: ['US'] })], minutesAfter(1)), 3],
      ['another number', () => save([bank('a', { name: 'Renamed', countries: ['US'], routingNumbers: ['1'] })], minutesAfter(1)), 4],
      ['nobody is closed', () => closeUnseenInstitutions(database, 'plaid', minutesAfter(1)), 4],
      ['a ranking', () => rankInstitutions(database, 'plaid', ['b', 'unknown', 'b']), 5],
      ['the same ranking', () => rankInstitutions(database, 'plaid', ['b']), 5],
      ['nobody is connected', () => countConnectedInstitutions(database, 'plaid', AT), 5],
      ['somebody is closed', () => closeUnseenInstitutions(database, 'plaid', minutesAfter(2)), 6],
      ['somebody comes back', () => save([bank('b')], minutesAfter(3)), 7],
      ['another directory', () => save([bank('a')], AT, 'mx'), 7],
    ]
    expect(await version()).toBe(0)
    for (const [what, change, expected] of changes) {
      await change()
      expect(await version(), what).toBe(expected)
    }
    expect(await version('mx')).toBe(1)
  })

  it('finds banks by a routing number, twenty at most, over all sources', async () => {
    const { database } = test
    await save([bank('b', { routingNumbers: ['001', '002'] }), bank('a', { routingNumbers: ['003'] }), bank('c')])
    await save([bank('z', { routingNumbers: ['002'] })], AT, 'mx')
    const found = async (...numbers: string[]) => (await listInstitutionsByRoutingNumber(database, numbers)).map(({ id }) => id)
    expect([await found('002'), await found('003', '001'), await found('9'), await found()]).toEqual([['z', 'b'], ['a', 'b'], [], []])
    await closeUnseenInstitutions(database, 'mx', minutesAfter(1))
    expect(await found('002')).toEqual(['b'])
    await save(Array.from({ length: 21 }, (_, n) => bank(`n${n}`, { routingNumbers: ['7'] })))
    expect(await found('7')).toHaveLength(20)
  })

  it('has the banks first that were connected lately, then those that the provider names, then by name', async () => {
    const { database } = test
    await save(['a', 'b', 'c', 'd', 'e'].map((id) => bank(id)))
    await save([bank('a')], AT, 'mx')
    const connect = async (institutionId: string, columns: Record<string, string>) => {
      const child = { id: randomUUID(), connectorKey: 'plaid', institutionId, name: institutionId }
      await ensureChildService(database, instanceId, child)
      for (const { id } of (
        await database.query<{ id: string }>('select id from child_services where institution_id = $1', [institutionId])
      ).rows)
        await storeConnection(database, tenants, { connectorKey: 'plaid', serviceId: id, category: 'Banking' }, columns)
    }
    const made = (at: Date) => ({ entity_id: 'gen_random_uuid()::text', created_at: `'${at.toISOString()}'` })
    await connect('e', made(minutesAfter(1)))
    await connect('d', made(AT))
    await connect('c', { created_at: `'${minutesAfter(1).toISOString()}'` })
    await countConnectedInstitutions(database, 'plaid', AT)
    await rankInstitutions(database, 'plaid', ['c', 'b', 'c'])
    const search = async (text = '', page = { limit: 10, offset: 0 }, country?: string, key = 'plaid') =>
      await searchInstitutions(database, key, { text, ...(country === undefined ? {} : { country }) }, page)
    const shown = (id: string, isPopular: boolean) => ({ ...bank(id), isPopular })
    const all = [shown('e', true), shown('c', true), shown('b', true), shown('a', false), shown('d', false)]
    expect(await search()).toEqual({ institutions: all, total: 5 })
    expect(await search('', { limit: 2, offset: 1 })).toEqual({ institutions: all.slice(1, 3), total: 5 })
    expect([await search('', { limit: 2, offset: 5 }), await search('', undefined, 'US')]).toEqual([
      { institutions: [], total: 5 },
      { institutions: [], total: 0 },
    ])
    expect(await search('', undefined, undefined, 'mx')).toEqual({ institutions: [shown('a', false)], total: 1 })
    expect(await search('', undefined, undefined, 'none')).toEqual({ institutions: [], total: 0 })
    await database.query(`update connections set entity_id = null where instance_id = $1`, [instanceId])
    await countConnectedInstitutions(database, 'plaid', AT)
    await rankInstitutions(database, 'plaid', [])
    expect((await search()).institutions).toEqual(['a', 'b', 'c', 'd', 'e'].map((id) => shown(id, false)))
  })

  it('is searched by words in both languages, by the beginning first, and by a routing number', async () => {
    const { database } = test
    await save([
      bank('1', { name: 'Banque Nationale', routingNumbers: ['006'] }),
      bank('2', { name: 'First National Bank', countries: ['US'], routingNumbers: ['044'] }),
      bank('3', { name: 'Caisse du Nord', countries: ['CA', 'US'] }),
      bank('4', { name: 'National Savings' }),
    ])
    const ids = async (text: string, country?: string) =>
      (
        await searchInstitutions(database, 'plaid', { text, ...(country === undefined ? {} : { country }) }, { limit: 10, offset: 0 })
      ).institutions.map(({ id }) => id)
    const table: [string, string | undefined, string[]][] = [
      ['national', undefined, ['4', '1', '2']],
      ['national bank', undefined, ['1', '2']],
      ['banque', undefined, ['1', '2']],
      ['bank', 'US', ['2']],
      ['north', undefined, ['3']],
      ['north', 'US', ['3']],
      ['006', undefined, ['1']],
      ['006', 'US', []],
      ['00', undefined, []],
      ['nobody', undefined, []],
      ['...', undefined, []],
    ]
    for (const [text, country, expected] of table) expect(await ids(text, country), `${text} ${country}`).toEqual(expected)
    await save([bank('5', { name: 'New National' })], minutesAfter(1))
    expect(await ids('national')).toEqual(['4', '1', '2', '5'])
  })
})

describe('a request for a missing bank', () => {
  const request = (more: { id?: string; name?: string } = {}) => ({
    ...{
      id: randomUUID(),
      serviceId: randomUUID(),
      name: 'Harbor',
      country: 'CA',
      url: 'https://h.example',
      note: 'n',
      requestedBy: 'a@maple.example',
    },
    ...more,
  })
  const open = { state: 'open', createdOn: expect.any(Date), answer: '', answeredOn: null }

  it('is stored once for its id, and answered again and again', async () => {
    const { database } = test
    const [one, two] = [request(), request()]
    expect(await createInstitutionRequest(database, instanceId, one)).toEqual({ ...one, ...open })
    expect(await createInstitutionRequest(database, instanceId, { ...one, name: 'Other' })).toEqual({ ...one, ...open })
    await createInstitutionRequest(database, instanceId, two)
    expect(await listInstitutionRequests(database, instanceId)).toEqual([
      { ...one, ...open },
      { ...two, ...open },
    ])
    expect([await findInstitutionRequest(database, otherId, one.id), await listInstitutionRequests(database, otherId)]).toEqual([null, []])
    const answer = (text: string, minutes: number, of = instanceId) =>
      answerInstitutionRequest(database, of, one.id, { text, at: minutesAfter(minutes) })
    const answered = (text: string, minutes: number) => ({
      ...one,
      ...open,
      state: 'answered',
      answer: text,
      answeredOn: minutesAfter(minutes),
    })
    expect([await answer('x', 1, otherId), await answer('soon', 1), await answer('now', 2)]).toEqual([
      null,
      answered('soon', 1),
      answered('now', 2),
    ])
    expect([
      await findInstitutionRequest(database, instanceId, one.id),
      await findInstitutionRequest(database, instanceId, two.id),
    ]).toEqual([answered('now', 2), { ...two, ...open }])
  })

  it('of a link is one of twenty, and the same one again is none more', async () => {
    const { database } = test
    const [linkId, another] = [randomUUID(), randomUUID()]
    const requests = Array.from({ length: 21 }, (_, n) => request({ name: `b${n}` }))
    const note = (nth: number, link = linkId, of = instanceId) => noteInstitutionRequest(database, of, link, requests[nth] ?? request())
    const noted: boolean[] = []
    for (let n = 0; n < 21; n += 1) noted.push(await note(n))
    expect(noted).toEqual([...Array(20).fill(true), false])
    expect([await note(3), await note(20, another), await note(20, linkId, otherId)]).toEqual([true, true, true])
    expect(await listColumn(database, 'institution_requests', 'link_id', instanceId)).toEqual(
      [...Array(20).fill(linkId), another].toSorted(),
    )
    expect(await findInstitutionRequest(database, instanceId, requests[3]?.id ?? '')).toEqual({ ...requests[3], ...open })
  })
})
