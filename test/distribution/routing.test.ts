import { describe, expect, it } from 'vitest'
import { readyTables } from '../../src/store/db/cluster/distribute.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { databaseOfOneServer, type TestDatabase } from '../harness/database.ts'
import { tableUses } from './keyed-tables.ts'
import { addPublished } from './published.ts'
import { recordStatements } from './record-statements.ts'
import { recordStatementsOf } from './recorder.ts'
import { isMadeOf, squeezed, textsNaming } from './source-statements.ts'
import { KEYED_ON_CLUSTER, MIXED, NEVER_ON_CLUSTER, OF_ALL_SHARDS, OF_ALL_SHARDS_ON_CLUSTER, ONLY_ON_CLUSTER } from './statement-lists.ts'
import { DISTRIBUTION_KEYS, isDistributed as isOfCluster } from './tables.ts'

const seen = new Set<string>()

/** Functions of the store by what their statements on distributed tables lack; each function is run. */
async function runAll(isDistributed: boolean): Promise<{ unkeyed: string[]; mixed: string[] }> {
  const test: TestDatabase = await databaseOfOneServer()
  if (isDistributed) await readyTables(test.database)
  const database = openDatabase(test.url, { max: 2, isDistributed })
  const sent = recordStatementsOf(database)
  const of = await addPublished(database)
  const [unkeyed, mixed] = [new Set<string>(), new Set<string>()]
  for (const [name, run] of Object.entries(recordStatements(of))) {
    if (isDistributed && NEVER_ON_CLUSTER.includes(name)) continue
    sent.length = 0
    await run(database)
    for (const { text } of sent) {
      const uses = await tableUses(text, DISTRIBUTION_KEYS)
      const distributed = uses.filter(isOfCluster)
      if (distributed.length === 0) continue
      seen.add(squeezed(text))
      if (distributed.some(({ isKeyed }) => !isKeyed)) unkeyed.add(name)
      if (distributed.length < uses.length) mixed.add(name)
    }
  }
  await database.end()
  await test.drop()
  return { unkeyed: [...unkeyed].toSorted(), mixed: [...mixed].toSorted() }
}

const unkeyed = [...Object.keys(OF_ALL_SHARDS), ...KEYED_ON_CLUSTER].filter((name) => !ONLY_ON_CLUSTER.includes(name)).toSorted()
const unkeyedOnCluster = OF_ALL_SHARDS_ON_CLUSTER.toSorted()

describe('every statement on a distributed table compares its key with a parameter and uses no other table, or is listed with a reason', () => {
  it('on any PostgreSQL', async () => expect(await runAll(false)).toEqual({ unkeyed, mixed: Object.values(MIXED).flat().toSorted() }))

  it('as it is sent to a cluster, where none uses another table', async () =>
    expect(await runAll(true)).toEqual({ unkeyed: unkeyedOnCluster, mixed: [] }))

  // A statement that is not in the list would pass by not being looked at.
  it('and each of the store is run', () => {
    const texts = Object.keys(DISTRIBUTION_KEYS).flatMap(textsNaming)
    expect(texts.length).toBeGreaterThan(60)
    expect(texts.filter((text) => ![...seen].some((statement) => isMadeOf(statement, text)))).toEqual([])
  })
})

it.each([
  ['select 1 from record_versions where company_id = $1', true],
  ['select 1 from record_versions r where $1::uuid = r.company_id and id = $2', true],
  ['select 1 from record_versions where company_id = $1 or id = $2', false],
  ['select 1 from record_versions where id = $1', false],
  ['select 1 from record_versions where (rows_lack_company() or company_id = $1)', true],
  ['select 1 from record_versions where (rows_lack_company() or company_id = $1 or id = $2)', false],
  ['select 1 from record_versions where (other() or company_id = $1)', false],
  ['select 1 from record_versions where company_id <> $1', false],
  ['select 1 from connections c join record_versions r on r.company_id = c.company_id where c.company_id = $1', false],
  ['select 1 from connections c join record_versions r on r.company_id = $1', true],
  ['select 1 from connections where id in (select connection_id from record_versions where company_id = $1)', true],
  ['select 1 from connections where id in (select connection_id from record_versions)', false],
  ['select 1 union all (select 2 from record_versions)', false],
  ['delete from record_versions where ctid = any (array(select ctid from record_versions where company_id = $1))', false],
  ['update record_versions set deleted = true where company_id = $1', true],
  ['with record_versions as (select 1) select * from record_versions', true],
  ['insert into record_versions (id, company_id) select $1, $2 from unnest($3::text[])', true],
  ['insert into record_versions (id, company_id) select $1, c.company_id from connections c', false],
  ['insert into record_versions (id, company_id) values ($1, $2), ($3, default)', false],
  ['insert into record_versions (id, company_id) select $1, s.company_id from sync_runs s where s.company_id = $2', true],
  ['insert into record_versions (id, company_id) select $1, s.company_id from sync_runs s where s.id = $2', false],
  [
    'insert into record_versions (id, company_id) with s as (select company_id from sync_runs where company_id = $1) select $2, s.company_id from s',
    true,
  ],
])('%s: keyed %s', async (sql, isKeyed) => {
  const uses = (await tableUses(sql, DISTRIBUTION_KEYS)).filter(isOfCluster)
  expect(uses.every((use) => use.isKeyed)).toBe(isKeyed)
})
