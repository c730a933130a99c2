-- Transaction: none
-- Takes the place of `jobs_claimed`: a running job is one that has a worker. No statement but the claim's implies both conditions, and the
-- claim's implies those of no other index. With fresh statistics, PostgreSQL chose `jobs_claimed` wherever a running job is looked for, and read
-- all the entries that an open transaction keeps. NOTE `coalesce` would keep row-level security from using the index.
create index concurrently if not exists jobs_by_claim on jobs ((case when claimed_at is null then 'infinity' else claimed_at end))
  where worker is not null and case when claimed_at is null then 'infinity' else claimed_at end is not null;
