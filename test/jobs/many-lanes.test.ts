import { beforeAll, expect, it } from 'vitest'
import { claimJobs } from '../../src/store/jobs/jobs.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const LANES = 60
const CAP = 6

const data = databaseForTests()

beforeAll(async () => {
  // Lanes of one provider with nothing that is wanted, and one lane of which each round gives a job.
  await data.database.query(
    `insert into jobs (instance_id, kind, key, provider)
     select md5('instance/' || n)::uuid, 'other', 'other/' || n, 'bank' from generate_series(1, $1::int) n
     union all select md5('instance/' || 0)::uuid, 'wanted', 'wanted/' || n, '' from generate_series(1, 100) n`,
    [LANES],
  )
})

it('a claim passes any number of lanes whose jobs it may not have', async () => {
  const claim = { worker: crypto.randomUUID(), kinds: ['wanted'], limit: 100, leaseMs: 60_000, after: null, cap: CAP }
  const claimed = await claimJobs(data.database, claim)
  expect(claimed.map(({ kind }) => kind)).toEqual(Array.from({ length: CAP }, () => 'wanted'))
})
