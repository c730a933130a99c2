import { beforeAll, describe, expect, it } from 'vitest'
import { listCompanies } from '../../src/store/connections/company-list.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { type Filter, MOST_COUNTED } from '../../src/store/db/list-selection.ts'
import { openRowCounter } from '../growth/rows-read.ts'
import { vacuumAll } from '../growth/vacuum.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { isOnCluster } from '../harness/database.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'

const [FEW, MANY] = [1_000, 34_000]
/** Of the many, the last to be added, which have a word that the others lack. */
const LATE = 11_000

interface Instance {
  id: string
  companies: number
}

const data = databaseForTests()
const counter = openForTests(() => openRowCounter(data.url))
const instances: Instance[] = []
beforeAll(async () => {
  for (const companies of [FEW, MANY]) {
    const id = await addInstance(data.database)
    await data.database.query(
      `insert into companies (instance_id, id, name, external_id, created_at)
       select $1, gen_random_uuid(), case when n > $2::int - $3::int and $2 > $3 then 'Zac ' else 'Été ' end || n, case when n % 200 = 0 then 'vip' || n end,
         timestamptz '2026-01-01' + make_interval(mins => n)
       from generate_series(1, $2::int) n`,
      [id, companies, LATE],
    )
    instances.push({ id, companies })
  }
  await vacuumAll(data.database)
}, 120_000)

const nameHas = (value: string): Filter => [[{ property: 'name', operator: '~', value }]]
const page = { orderBy: 'createdOn', descending: false, limit: 50, offset: 0 }
const find = async ({ id }: Instance, filter: Filter, words: string[], orderBy = 'createdOn') =>
  await withinInstance(id, () => listCompanies(counter.database, id, { ...page, orderBy, filter }, words))

/** Rows and index entries read by one search. */
async function readsOf(instance: Instance, filter: Filter, words: string[], orderBy = 'createdOn'): Promise<number> {
  const reads = await counter.count(() => find(instance, filter, words, orderBy))
  expect(reads.filter(({ table, scanned }) => scanned > 10 && table !== 'filled_company_texts')).toEqual([])
  return reads.reduce((sum, { looked }) => sum + looked, 0)
}

describe.skipIf(isOnCluster)(`a search among ${MANY} companies`, () => {
  it.each([
    ['a piece of one name', nameHas('t 777'), [], 11],
    ['a number of few', [], ['999'], 4],
    ['a text of none', nameHas('absent'), [], 0],
    ['a common word and the name of one', [], ['ete', '901'], 2],
    ['a long text of none', nameHas('ete 12345678901234'), [], 0],
  ] as [string, Filter, string[], number][])('for %s reads about as much as among %#', async (_, filter, words, most) => {
    const [few, many] = instances
    if (!few || !many) throw new Error('not filled')
    expect((await find(few, filter, words)).companies.length).toBeLessThanOrEqual(most)
    // A number is in the names of more companies; of a common word 10,001 parts are counted.
    const matches = (await find(many, filter, words)).total.total
    const slack = 12 * matches + 100 + (words.includes('ete') ? MOST_COUNTED : 0)
    expect(await readsOf(many, filter, words)).toBeLessThan(1.5 * (await readsOf(few, filter, words)) + slack)
  })

  it.each(['createdOn', 'name', 'id'])('for a text of most stops at a full page in the order of %s', async (orderBy) => {
    const [, many] = instances
    if (!many) throw new Error('not filled')
    for (const words of [['e'], ['été']]) {
      const { companies, total } = await find(many, [], words, orderBy)
      expect([companies.length, total]).toEqual([50, { total: 10_000, hasMore: true }])
      // What it counts: entries of 10,001 parts and of up to 30,000. By name those that lack the word come first.
      const walked = orderBy === 'name' ? 2 * LATE : 0
      expect(await readsOf(many, [], words, orderBy)).toBeLessThan(41_000 + walked)
    }
  })

  it('for a text of many that are last in the order finds them, and looks at no more than these', async () => {
    const [, many] = instances
    if (!many) throw new Error('not filled')
    const { companies, total } = await find(many, nameHas('zac'), [])
    expect(companies.map(({ name }) => name).slice(0, 2)).toEqual([`Zac ${MANY - LATE + 1}`, `Zac ${MANY - LATE + 2}`])
    expect([companies.length, total]).toEqual([50, { total: 10_000, hasMore: true }])
    expect(await readsOf(many, nameHas('zac'), [])).toBeLessThan(20_000 * 2 + LATE * 6)
  })

  it('for words that are all common has an exact total', async () => {
    const [, many] = instances
    if (!many) throw new Error('not filled')
    const { companies, total } = await find(many, [], ['c', 'z', 'vip'])
    expect([companies.length, total]).toEqual([50, { total: LATE / 200, hasMore: false }])
    const { total: ofBoth } = await find(many, [], ['z', 'a'])
    expect(ofBoth).toEqual({ total: 10_000, hasMore: true })
  })
})
