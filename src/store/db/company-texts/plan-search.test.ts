import { beforeEach, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../../test/harness/for-tests.ts'
import { FIRST_ID } from '../../../model/values/first-id.ts'
import { inTransaction } from '../database.ts'
import type { Clause, Columns } from '../list-selection.ts'
import { companyTextFiller, fillTexts, noteTextsOfNewDatabase } from './fill-texts.ts'
import { countMatches, countParts, planSearch, sumRows, toCandidates } from './plan-search.ts'

const COLUMNS: Columns = {
  name: { sql: 'name', type: 'string', texts: 'n' },
  words: { sql: 'name', type: 'string', texts: 'nc' },
  country: { sql: 'country', type: 'string' },
}
const contains = (property: string, value: string | null, operator: Clause['operator'] = '~'): Clause => ({ property, operator, value })

const test = databaseForTests()
let instanceId = ''
let ids: string[]
const isDone = (done: boolean) =>
  test.database.query(
    `insert into filled_company_texts (until_instance, until_company, is_done) values ($1, $1, $2) on conflict (only_one) do update set is_done = $2`,
    [FIRST_ID, done],
  )
beforeEach(async () => {
  await isDone(true)
  instanceId = await addInstance(test.database)
  ids = []
  for (const name of ['Boulangerie du Plateau', 'Boulangerie Noël', 'Garage Plateau', 'Noël et Noël'])
    ids.push(await addCompany(test.database, instanceId, { name, city: 'Plateau-Ville' }))
  await addCompany(test.database, await addInstance(test.database), { name: 'Boulangerie du Plateau' })
})

const plan = (...filter: Clause[][]) => planSearch(test.database, instanceId, filter, COLUMNS)
const found = async (...filter: Clause[][]) => {
  const values: unknown[] = [instanceId]
  const { rows } = await test.database.query<{ id: string }>(toCandidates((await plan(...filter)) ?? [], values), values)
  return [...new Set(rows.map(({ id }) => ids.indexOf(id)))].toSorted().join('')
}

describe('a search', () => {
  it('goes by a stored part of its text, in any letter case, with or without accents', async () => {
    expect(await plan([contains('name', 'NOEL')])).toEqual([{ fields: 'n', part: 'noel', rows: 3, isWhole: true }])
    expect([
      await found([contains('name', 'NOEL')]),
      await found([contains('name', 'boulangerie')]),
      await found([contains('name', 'none')]),
    ]).toEqual(['13', '01', ''])
    expect([await found([contains('name', 'plateau')]), await found([contains('words', 'plateau')])]).toEqual(['02', '0123'])
  })

  it('of a long text goes by its beginning or end, whichever is rarer', async () => {
    expect(await plan([contains('name', 'Boulangerie Noël')])).toEqual([{ fields: 'n', part: 'angerie noel', rows: 1, isWhole: false }])
    expect(await found([contains('name', 'Boulangerie Noël')])).toBe('1')
  })

  it('goes by the rarest text of each group', async () => {
    const groups = await plan(
      [contains('name', 'plateau'), contains('name', 'garage'), contains('country', 'CA', '=')],
      [contains('name', 'noel')],
    )
    expect(groups).toEqual([
      { fields: 'n', part: 'garage', rows: 1, isWhole: false },
      { fields: 'n', part: 'noel', rows: 3, isWhole: true },
    ])
    expect([
      sumRows(groups ?? []),
      await countParts(test.database, instanceId, groups ?? [], 99),
      await countParts(test.database, instanceId, groups ?? [], 2),
    ]).toEqual([4, 4, 3])
  })

  it.each([
    ['there is no filter', []],
    ['a group looks in no text with parts', [[contains('name', 'noel')], [contains('country', 'CA')]]],
    ['it is another comparison', [[contains('name', 'noel', '=')]]],
    ['there is no text', [[contains('name', null)]]],
  ])('has no plan where %s', async (_which, filter) => expect(await plan(...filter)).toBe(null))

  it('has no plan before all parts are stored', async () => {
    await isDone(false)
    expect(await plan([contains('name', 'noel')])).toBe(null)
  })

  it('knows how many companies match where it is one text alone', async () => {
    const count = async (...filter: Clause[][]) => await countMatches(test.database, instanceId, (await plan(...filter)) ?? [])
    expect([await count([contains('name', 'noel')]), await count([contains('name', 'none')])]).toEqual([2, 0])
    expect([
      await count([contains('name', 'boulangerie noel')]),
      await count([contains('name', 'noel')], [contains('name', 'garage')]),
    ]).toEqual([null, null])
  })
})

describe('the parts of companies from before', () => {
  it('are stored step by step, by one process at a time, once', async () => {
    for (const table of ['filled_company_texts', 'company_texts']) await test.database.query(`delete from ${table}`)
    const step = () => inTransaction(test.database, fillTexts)
    expect(await step()).toBe('more')
    await inTransaction(test.database, async (db) => {
      await db.query('select from filled_company_texts for update')
      expect(await step()).toBe('busy')
    })
    expect([await step(), await step(), await found([contains('name', 'noel')])]).toEqual(['done', 'done', '13'])
  })

  it('are stored by the periodic task, unless it is stopped', async () => {
    for (const table of ['filled_company_texts', 'company_texts']) await test.database.query(`delete from ${table}`)
    let isStopping = true
    const fill = companyTextFiller(test.database, () => isStopping)
    await fill()
    expect((await test.database.query('select from company_texts')).rowCount).toBe(0)
    isStopping = false
    await fill()
    expect(await found([contains('name', 'garage')])).toBe('2')
  })

  it('are complete in a database without companies', async () => {
    await test.database.query('delete from filled_company_texts')
    await noteTextsOfNewDatabase(test.database)
    expect((await test.database.query('select from filled_company_texts')).rowCount).toBe(0)
    await test.database.query('delete from companies')
    await noteTextsOfNewDatabase(test.database)
    expect((await test.database.query('select is_done as "isDone" from filled_company_texts')).rows).toEqual([{ isDone: true }])
  })
})
