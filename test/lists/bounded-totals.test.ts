import { beforeAll, expect, it } from 'vitest'
import { MOST_COUNTED } from '../../src/store/db/list-selection.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const COMPANIES = MOST_COUNTED + 60
const PATH = '/normalized-data/companies'

const api = openForTests(openApiHarness)

beforeAll(async () => {
  const { deps, instanceId } = api.syncHarness
  await deps.database.query(
    `insert into companies (instance_id, id, name, city) select $1, gen_random_uuid(), 'Company ' || n, case when n <= 3 then 'Laval' else '' end
     from generate_series(1, $2::int) n`,
    [instanceId, COMPANIES - 1],
  )
}, 60_000)

async function page(query: string) {
  const answer = await api.call('GET', `${PATH}?${query}`)
  const { headers } = answer
  const links = String(headers.link)
    .split(', ')
    .map((link) => link.replace(/^.*rel="(.*)"$/, '$1'))
  return { total: headers['x-total-count'], relation: headers['x-total-count-relation'], links, data: answer.json().data }
}

it(`the total of a list ends at ${MOST_COUNTED}, and its pages do not`, async () => {
  const first = await page('PageSize=500')
  expect([first.total, first.relation, first.links]).toEqual([String(MOST_COUNTED), 'gte', ['first', 'next']])
  const last = await page(`PageSize=500&PageNumber=${Math.ceil(COMPANIES / 500)}`)
  expect([last.total, last.relation, last.links]).toEqual([String(MOST_COUNTED), 'gte', ['first', 'prev']])
  expect(last.data).toHaveLength(COMPANIES % 500)
})

it('a list with fewer rows has its exact total and a last page', async () => {
  const found = await page(`PageSize=10&FilterQuery=${encodeURIComponent('city=Laval')}`)
  expect([found.total, found.relation, found.links]).toEqual(['3', undefined, ['first', 'last']])
})
