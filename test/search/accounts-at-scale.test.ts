import { beforeAll, describe, expect, it } from 'vitest'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { findAccounts } from '../../src/store/search/find-accounts.ts'
import { openRowCounter } from '../growth/rows-read.ts'
import { vacuumAll } from '../growth/vacuum.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'

const ACCOUNTS = 30_000
/** Words looked at by a search for a common word: for its count, and for its accounts. */
const MOST_READ = 6_000

const data = databaseForTests()
const counter = openForTests(() => openRowCounter(data.url))
let instanceId: string
beforeAll(async () => {
  instanceId = await addInstance(data.database)
  for (const text of FILL) await data.database.query(text, [instanceId, crypto.randomUUID(), ACCOUNTS].slice(0, /\$3/.test(text) ? 3 : 2))
  await vacuumAll(data.database)
}, 120_000)

const SERVICE = `md5('service')::uuid`
/** One company with all accounts: each has the word “compte”, one in a thousand “rare”, and one alone its number. */
const FILL = [
  `insert into companies (instance_id, id, name, industry, full_address, country, city, contact_number) values ($1, $2, 'Boulangerie', '', '', 'CA', 'Laval', '')`,
  `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, refresh_hours, update_scheduled_at, published_at)
     select $1, md5('connection')::uuid, id, ${SERVICE}, 'bank', 'Banking', '', 19, 24, timestamptz '2027-01-01', timestamptz '2026-11-01'
     from companies where instance_id = $1 and $2::uuid is not null`,
  `insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     select concat_ws('/', instance_id, id, ${SERVICE}), instance_id, id, ${SERVICE}, 1, timestamptz '2026-11-01', 1, 1
     from companies where instance_id = $1 and $2::uuid is not null`,
  `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id,
       raw_index, mapping_version)
     select $1, c.id, ${SERVICE}, 'Accounts', md5('account/' || n)::uuid, '-infinity', n::text, md5('connection')::uuid,
       '{"accountName":"Compte ' || n || '"}', '', n::text, $2, 0, 1
     from companies c, generate_series(1, $3::int) n where c.instance_id = $1`,
  `insert into account_words (instance_id, company_id, record_set, id, word)
     select r.instance_id, r.company_id, r.record_set, r.id, w.word from record_versions r
     cross join lateral unnest(array['compte', r.orig_id] || case when r.orig_id::int % 1000 = 0 then array['rare'] end) as w (word)
     where r.instance_id = $1 and $2::uuid is not null`,
]

describe(`among ${ACCOUNTS} accounts`, () => {
  const find = async (words: string, limit = 50) =>
    await withinInstance(instanceId, () => findAccounts(counter.database, instanceId, words, limit))

  it.each([
    ['a word of all', 'compte', 50],
    ['two beginnings of a word of all', 'comp compt', 50],
    ['a word of one', '29999', 1],
    ['a common word and a rare one', 'compte rare', 30],
    ['a common word and a number', 'compte 24321', 1],
    ['a word of none', 'compte absent', 0],
  ])('%s is found in few reads', async (_, words, expected) => {
    expect(await find(words)).toHaveLength(expected)
    const reads = await counter.count(() => find(words))
    expect(reads.filter(({ scanned }) => scanned > 10)).toEqual([])
    expect(reads.find(({ table }) => table === 'account_words')?.looked).toBeLessThan(2 * MOST_READ)
    expect(reads.find(({ table }) => table === 'record_versions')?.looked ?? 0).toBeLessThan(200)
  })
})
