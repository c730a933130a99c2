import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateCompany } from '../../src/store/connections/companies.ts'
import { listCompanies } from '../../src/store/connections/company-list.ts'
import { fillTexts } from '../../src/store/db/company-texts/fill-texts.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import type { Filter } from '../../src/store/db/list-selection.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const data = databaseForTests()
let instanceId: string
let otherId: string

interface Texts {
  id: string
  name: string
  industry: string
  city: string
  externalId: string | null
}

/** Pseudo-random numbers below `below`, the same for every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

const WORDS =
  'Boulangerie Plateau Épicerie Forêt Noël œuvre L’Été Garage 24h ÇA bakery Straße inc. O\'Brien & 100% a_b C\\D 7 été-nord "Chez" Zoë'.split(
    ' ',
  )
const CITIES = ['Montréal', 'Québec', 'Lévis', 'Laval', '']
const next = numbers(7)
const pick = (from: readonly string[]) => from[next(from.length)] ?? ''
const texts: Texts[] = Array.from({ length: 300 }, (_, n) => ({
  id: crypto.randomUUID(),
  name: Array.from({ length: 1 + next(4) }, () => pick(WORDS)).join(' '),
  industry: pick(['Bakery', 'Épicier', '']),
  city: pick(CITIES),
  externalId: next(3) === 0 ? null : `client-${n}`,
}))

beforeAll(async () => {
  instanceId = await addInstance(data.database)
  otherId = await addInstance(data.database)
  await data.database.query(
    `insert into companies (instance_id, id, name, industry, city, external_id, created_at)
     select $1, id, name, industry, city, external_id, timestamptz '2026-01-01' + make_interval(mins => (n % 40)::int)
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as t (id, name, industry, city, external_id, n)`,
    [instanceId, ...(['id', 'name', 'industry', 'city', 'externalId'] as const).map((property) => texts.map((one) => one[property]))],
  )
})

const toPlain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe')
const contains = (text: string | null, part: string) => text !== null && toPlain(text).includes(toPlain(part))
const all = { orderBy: 'createdOn', descending: false, limit: 1_000, offset: 0 }
const read = async (filter: Filter, words: string[] = [], more: Partial<typeof all> = {}, of = instanceId) =>
  await withinInstance(of, () => listCompanies(data.database, of, { ...all, filter, ...more }, words))
const idsOf = async (filter: Filter, words: string[] = []) => (await read(filter, words)).companies.map(({ id }) => id).sort()
const idsWhere = (isWanted: (one: Texts) => boolean) =>
  texts
    .filter(isWanted)
    .map(({ id }) => id)
    .sort()

describe('companies are found by', () => {
  it('what any piece of a name contains, as when each name is compared', async () => {
    const draw = numbers(11)
    const pieces = Array.from({ length: 150 }, () => {
      const name = texts[draw(texts.length)]?.name ?? ''
      const from = draw(name.length)
      const piece = name.slice(from, from + 1 + draw(draw(2) === 0 ? 4 : 30))
      return draw(2) === 0 ? piece.toUpperCase() : toPlain(piece)
    })
    for (const piece of [...pieces, '%', '_', '\\', '"', 'absent', 'zzz', ' '])
      expect(await idsOf([[{ property: 'name', operator: '~', value: piece }]]), piece).toEqual(
        idsWhere(({ name }) => contains(name, piece)),
      )
  })

  it.each([
    ['several words of different texts, in any order', ['montreal', 'boul']],
    ['one letter', ['é']],
    ['one digit', ['7']],
    ['the end of an external id', ['-12']],
    ['a ligature, and its two letters', ['OEUVRE']],
    ['the inside of a word', ['langer']],
    ['a longer text than a part', ['boulangerie', 'épicerie']],
    ['nothing that is there', ['boulangerie', 'absent']],
  ])('words: %s', async (_, words) => {
    const expected = idsWhere((one) =>
      words.every((word) => [one.name, one.industry, one.city, one.externalId].some((text) => contains(text, word))),
    )
    expect(await idsOf([], words)).toEqual(expected)
    if (!words.includes('absent')) expect(expected.length).toBeGreaterThan(0)
  })

  it('a combination of texts, and of other properties', async () => {
    const name = { property: 'name', operator: '~', value: 'foret' } as const
    const city = { property: 'city', operator: '~', value: 'LEVIS' } as const
    const laval = { property: 'city', operator: '=', value: 'Laval' } as const
    const isNamed = (one: Texts) => contains(one.name, 'foret')
    expect(await idsOf([[name], [city]])).toEqual(idsWhere((one) => isNamed(one) || one.city === 'Lévis'))
    expect(await idsOf([[name, city]])).toEqual(idsWhere((one) => isNamed(one) && one.city === 'Lévis'))
    expect(await idsOf([[name], [laval]])).toEqual(idsWhere((one) => isNamed(one) || one.city === 'Laval'))
    expect(await idsOf([[laval], [city]], ['bakery', 'client'])).toEqual(
      idsWhere(
        (one) =>
          ['Laval', 'Lévis'].includes(one.city) &&
          ['bakery', 'client'].every((word) => [one.name, one.industry, one.externalId].some((text) => contains(text, word))),
      ),
    )
  })

  it.each(['createdOn', 'name', 'externalId'])('pages in the order of %s, whose totals are exact', async (orderBy) => {
    for (const descending of [false, true]) {
      const whole = await read([], ['a'], { orderBy, descending })
      const unfiltered = (await read([], [], { orderBy, descending })).companies.map(({ id }) => id)
      const ids = whole.companies.map(({ id }) => id)
      expect(ids).toEqual(unfiltered.filter((id) => ids.includes(id)))
      const pages = []
      for (let offset = 0; offset < ids.length + 40; offset += 40)
        pages.push(await read([], ['a'], { orderBy, descending, limit: 40, offset }))
      expect(pages.flatMap(({ companies }) => companies.map(({ id }) => id))).toEqual(ids)
      for (const { total } of pages) expect(total).toEqual({ total: ids.length, hasMore: false })
    }
  })
})

/** Parts that are stored and should not be, or the other way round. */
const wrongParts = async () => {
  const { rows } = await data.database.query(
    `with wanted as (select c.instance_id, s.field, s.part, c.id as company_id from companies c
       cross join lateral search_parts_of(c.name, c.industry, c.city, c.external_id) s)
     (table company_texts except table wanted) union all (table wanted except table company_texts)`,
  )
  return rows
}

describe('what is stored', () => {
  it('follows a new name at once, and a company that is gone', async () => {
    const id = crypto.randomUUID()
    const details = { name: 'Quincaillerie Dubé', industry: '', fullAddress: '', country: '', city: '', companyContactNumber: '' }
    await data.database.query(`insert into companies (instance_id, id, name) values ($1, $2, $3)`, [instanceId, id, details.name])
    expect(await idsOf([], ['caillerie'])).toEqual([id])
    await updateCompany(data.database, instanceId, id, { ...details, name: 'Marina Dubé', externalId: 'own-9' })
    expect([await idsOf([], ['caillerie']), await idsOf([], ['dube']), await idsOf([], ['own-9'])]).toEqual([[], [id], [id]])
    expect(await wrongParts()).toEqual([])
    await data.database.query('delete from companies where instance_id = $1 and id = $2', [instanceId, id])
    expect(await idsOf([], ['dube'])).toEqual([])
    const { rows } = await data.database.query('select from company_texts where company_id = $1', [id])
    expect(rows).toEqual([])
    expect(await wrongParts()).toEqual([])
  })

  it('is shown to no other instance', async () => {
    const { rows } = await withinInstance(otherId, () => data.database.query('select from company_texts limit 1'))
    expect(rows).toEqual([])
    expect((await read([], ['boulangerie'], {}, otherId)).companies).toEqual([])
    // Even for a query that names the wrong one.
    const found = await withinInstance(otherId, () => listCompanies(data.database, instanceId, { ...all, filter: [] }, ['boulangerie']))
    expect(found.companies).toEqual([])
  })
})

describe('companies from before the upgrade', () => {
  beforeAll(async () => {
    await data.database.query('delete from company_texts')
    await data.database.query('delete from filled_company_texts')
  })
  afterAll(async () => expect(await wrongParts()).toEqual([]))

  it('are found before and after their parts are stored, by a walk that runs once', async () => {
    const foret: Filter = [[{ property: 'name', operator: '~', value: 'FORET' }]]
    const expected = idsWhere(({ name }) => contains(name, 'foret'))
    expect(await idsOf(foret)).toEqual(expected)
    const steps: string[] = [await inTransaction(data.database, fillTexts)]
    expect(await idsOf(foret)).toEqual(expected)
    // A company of which some parts are stored already, since it was renamed before the walk came to it.
    await data.database.query(
      `update companies set city = 'Rimouski' where instance_id = $1 and id = (select max(id::text)::uuid from companies)`,
      [instanceId],
    )
    while (steps.at(-1) !== 'done') steps.push(await inTransaction(data.database, fillTexts))
    expect(steps).toEqual(['more', 'more', 'done'])
    expect(await wrongParts()).toEqual([])
    expect(await idsOf(foret)).toEqual(expected)
    await data.database.query('delete from company_texts')
    expect([await inTransaction(data.database, fillTexts), await idsOf(foret)]).toEqual(['done', []])
    await data.database.query('delete from filled_company_texts')
    while ((await inTransaction(data.database, fillTexts)) !== 'done');
  })

  it('are walked by one process at a time', async () => {
    await data.database.query('update filled_company_texts set is_done = false')
    const other = await inTransaction(data.database, async (db) => [await fillTexts(db), await inTransaction(data.database, fillTexts)])
    expect(other).toEqual(['done', 'busy'])
  })
})
