-- Transaction: none
-- For retention. NOTE the index on `coalesce(reviewed_at, ended_at)` was no use: under row-level security PostgreSQL
-- uses an index only with conditions that cannot tell of hidden rows.
create index concurrently if not exists sync_runs_by_end_alone on sync_runs (ended_at) where reviewed_at is null;
