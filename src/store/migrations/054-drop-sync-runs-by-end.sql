-- Transaction: none
-- Replaced by the two indexes before; no release reads through it.
drop index concurrently if exists sync_runs_by_end;
