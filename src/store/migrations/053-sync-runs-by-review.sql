-- Transaction: none
-- For retention: runs that were kept when they were last looked at.
create index concurrently if not exists sync_runs_by_review on sync_runs (reviewed_at) where reviewed_at is not null;
